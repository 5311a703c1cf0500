//go:build lab

package attempt

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

var (
	recordings = flag.String("recordings", "", "the directory that TestRecord of internal/lab/tries has written")
	replays    = flag.Uint64("sessions", 200, "how many sessions to play")
	first      = flag.Uint64("first", 0, "the seed of the first session")
)

// wanted is the gain that the replayed sessions want.
const wanted = 0.005

// recordedEdit is an edit with its blocks and its truth, as all of them show it.
type recordedEdit struct {
	gain   float64
	blocks []result.Block
	// new and old are the times of an operation in each block.
	new, old []float64
}

// rule tries an edit in a session: claim is the logarithm of the new time over the
// old.
type rule func(e recordedEdit, r *rand.Rand) (kept bool, claim float64, blocks int)

// player plays one session by a rule. likely reports whether it calls its total
// improvement likely real, and is nil if the rule does not.
type player struct {
	try    rule
	likely func() bool
}

// rules begin a session each.
var rules = []struct {
	name  string
	begin func() player
}{
	{"tare try", tryRule},
	{"lower than the best so far: keep (1 block)", func() player { return bestRule(1) }},
	{"lower than the best so far: keep (10 blocks)", func() player { return bestRule(10) }},
	{"benchstat, n = 10", func() player { return player{try: benchstatRule} }},
}

func tryRule() player {
	var levels Levels
	return player{try: func(e recordedEdit, r *rand.Rand) (bool, float64, int) {
		a, n := judgedAttempt(shuffled(e.blocks, r), min(levels.Next(), mostLevel), wanted, r.Uint64())
		kept := a.Verdict == Keep
		levels.Add(kept)
		if !kept {
			return false, 0, n
		}
		return true, math.Log(a.Rows[0].Change.Ratio), n
	}}
}

// bestRule keeps an edit that is faster than the best mean of n blocks so far. It
// calls the improvement likely real if |best - baseline| is at least twice the
// median absolute deviation of all measurements (pi-autoresearch, SKILL.md).
func bestRule(n int) player {
	level, best := 1.0, math.NaN()
	var all []float64
	try := func(e recordedEdit, r *rand.Rand) (bool, float64, int) {
		k, scale := r.IntN(len(e.blocks)-n+1), level/stats.Median(e.old)
		if math.IsNaN(best) { // the baseline
			best = scale * mean(e.old[k:k+n])
			all = append(all, best)
			k = r.IntN(len(e.blocks) - n + 1)
		}
		now := scale * mean(e.new[k:k+n])
		all = append(all, now)
		if now >= best {
			return false, 0, n
		}
		claim := math.Log(now / best)
		best, level = now, level*(1-e.gain)
		return true, claim, n
	}
	return player{try, func() bool {
		middle := stats.Median(all)
		away := make([]float64, len(all))
		for i, v := range all {
			away[i] = math.Abs(v - middle)
		}
		return math.Abs(best-all[0]) >= 2*stats.Median(away)
	}}
}

func mean(x []float64) (sum float64) {
	for _, v := range x {
		sum += v / float64(len(x))
	}
	return sum
}

// benchstatRule compares ten blocks of the old side with the next ten of the new one.
func benchstatRule(e recordedEdit, r *rand.Rand) (bool, float64, int) {
	k := r.IntN(len(e.blocks) - 19)
	old, new := e.old[k:k+10], e.new[k+10:k+20]
	change := math.Log(stats.Median(new) / stats.Median(old))
	return change < 0 && stats.MannWhitney(old, new).P < 0.05, change, 20
}

// replayed counts what a rule kept in sessions. claims and truth are sums of
// logarithms over sessions; covered of totals intervals contain the truth.
type replayed struct {
	tally
	claims, truth                   float64
	sessions, many, totals, covered int
	// likely of the sessions call their improvement likely real.
	likely int
}

// TestReplay plays sessions of 100 edits from recorded blocks, nine in ten without
// effect, through the shipped judge and other rules:
//
//	go test -tags lab ./cmd/tare/internal/lab/tries -run TestRecord -args -keep DIR
//	go test -tags lab ./cmd/tare/internal/attempt -run TestReplay -v -timeout 2h -args -recordings DIR
//
// A keep is false if the edit's own 60 blocks do not show the wanted gain.
func TestReplay(t *testing.T) {
	without, with := readEdits(t)
	all := replay(100, func(r *rand.Rand) recordedEdit {
		if r.IntN(10) == 0 {
			return with[r.IntN(len(with))]
		}
		return without[r.IntN(len(without))]
	}, without)
	show(t, all)
	if one := all[0]; float64(one.falsely) > alpha*float64(one.kept) || one.found < one.real*8/10 || float64(one.covered) < 0.93*float64(one.totals) {
		t.Errorf("%d of %d keeps are false, %d of %d edits of 2%% or more are kept, %d of %d totals contain the truth",
			one.falsely, one.kept, one.found, one.real, one.covered, one.totals)
	}
}

// TestReplayWithoutEffect plays sessions of edits without effect.
func TestReplayWithoutEffect(t *testing.T) {
	without, _ := readEdits(t)
	for _, edits := range []int{10, 100, 300} {
		all := replay(edits, func(r *rand.Rand) recordedEdit { return without[r.IntN(len(without))] }, without)
		show(t, all)
		if one := all[0]; one.many > one.sessions/20 {
			t.Errorf("%d of %d sessions of %d edits kept more than one", one.many, one.sessions, edits)
		}
	}
}

// replay plays the same edits by each rule.
func replay(edits int, draw func(*rand.Rand) recordedEdit, without []recordedEdit) []replayed {
	sums := make([]replayed, len(rules))
	for _, session := range playAll(*replays, func(i uint64) (each []replayed) {
		seed := *first + i
		for n, rule := range rules {
			drawn, r := rand.New(rand.NewPCG(seed, 2)), rand.New(rand.NewPCG(seed, uint64(3+n)))
			one, played := replayed{sessions: 1}, rule.begin()
			for range edits {
				e := draw(drawn)
				kept, claim, blocks := played.try(e, r)
				one.count(e, kept, claim, blocks)
			}
			if played.likely != nil && played.likely() {
				one.likely = 1
			}
			if n == 0 && one.kept > 0 {
				one.totals = 1
				if totalCovers(without[r.IntN(len(without))], math.Exp(one.truth), r) {
					one.covered = 1
				}
			}
			each = append(each, one)
		}
		return each
	}) {
		for n, one := range session {
			sums[n].add(one)
		}
	}
	return sums
}

func (p *replayed) count(e recordedEdit, kept bool, claim float64, blocks int) {
	p.attempts++
	p.blocks += blocks
	if e.gain >= 0.02 {
		p.real++
	}
	if !kept {
		return
	}
	p.kept++
	p.claims, p.truth = p.claims+claim, p.truth+math.Log1p(-e.gain)
	if e.gain <= wanted {
		p.falsely++
	} else if e.gain >= 0.02 {
		p.found++
	}
}

func (p *replayed) add(o replayed) {
	p.tally.add(o.tally)
	if o.kept > 1 {
		p.many++
	}
	p.claims, p.truth, p.sessions = p.claims+o.claims, p.truth+o.truth, p.sessions+o.sessions
	p.totals, p.covered, p.likely = p.totals+o.totals, p.covered+o.covered, p.likely+o.likely
}

// show prints a table: counts are sums over all sessions.
func show(t *testing.T, all []replayed) {
	var text strings.Builder
	fmt.Fprintf(&text, "\n%-46s %9s %6s %6s %8s %12s %8s %8s %9s %7s\n", "rule", "sessions", "edits", "kept", "false", "2%+ kept", "claimed", "true", "blocks", "likely")
	for n, p := range all {
		per := float64(p.sessions)
		fmt.Fprintf(&text, "%-46s %9d %6d %6d %8d %12s %7.1f%% %7.1f%% %9.1f %7d\n", rules[n].name, p.sessions, p.attempts, p.kept, p.falsely,
			fmt.Sprintf("%d of %d", p.found, p.real), 100*math.Expm1(p.claims/per), 100*math.Expm1(p.truth/per), float64(p.blocks)/float64(p.attempts), p.likely)
	}
	t.Logf("%s%d of %d totals contain the truth; %d of %d sessions kept more than one", text.String(), all[0].covered, all[0].totals, all[0].many, all[0].sessions)
}

// totalCovers measures a total in the blocks of an edit, whose new side is scaled
// to the truth, and reports whether its interval contains it.
func totalCovers(e recordedEdit, truth float64, r *rand.Rand) bool {
	next := shuffled(e.blocks, r)
	var head result.Study
	head.Seed, head.Delta, head.Family = r.Uint64(), wanted, 1
	c, _ := judgedBlocks(head, func() result.Block { return scaled(next(), truth/(1-e.gain)) })
	change := c.Benchmarks[0].Change
	return change.Lo <= 1/truth && 1/truth <= change.Hi
}

// scaled multiplies the times of the first variant.
func scaled(b result.Block, by float64) result.Block {
	b.Rounds = slices.Clone(b.Rounds)
	for i, round := range b.Rounds {
		b.Rounds[i].Slices = slices.Clone(round.Slices)
		s := &b.Rounds[i].Slices[0]
		s.Raw, s.Delay, s.OverheadLo, s.OverheadHi = s.Raw*by, s.Delay*by, s.OverheadLo*by, s.OverheadHi*by
	}
	return b
}

// shuffled returns the blocks in random order, one a call.
func shuffled(blocks []result.Block, r *rand.Rand) func() result.Block {
	order := r.Perm(len(blocks))
	return func() result.Block {
		b := blocks[order[0]]
		order = order[1:]
		return b
	}
}

// readEdits reads the recordings that have 40 blocks or more.
func readEdits(t *testing.T) (without, with []recordedEdit) {
	t.Helper()
	if *recordings == "" {
		t.Skip("needs -recordings")
	}
	files, err := filepath.Glob(filepath.Join(*recordings, "*", "result.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		e, ok := readEdit(t, name)
		switch {
		case !ok:
		case e.gain >= 2*wanted:
			with = append(with, e)
		case e.gain <= wanted:
			without = append(without, e)
		}
	}
	t.Logf("%d edits without effect and %d with one in %d recordings", len(without), len(with), len(files))
	if len(without) == 0 || len(with) == 0 {
		t.FailNow()
	}
	return without, with
}

// readEdit reads a comparison with the working tree first.
func readEdit(t *testing.T, name string) (e recordedEdit, ok bool) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := result.Lines(f)
	if err != nil {
		t.Fatal(err)
	}
	rec := result.NewRecording(lines)
	if len(rec.Benchmarks) != 1 || len(rec.Benchmarks[0].Blocks) < mostBlocks {
		return e, false
	}
	for _, block := range rec.Benchmarks[0].Unpacked().Blocks {
		if !block.Good() {
			continue
		}
		block.Machine, block.FuncOrders = 0, nil
		e.blocks = append(e.blocks, block)
		var seconds, n [2]float64
		for _, round := range block.Rounds {
			for v, s := range round.Slices {
				seconds[v], n[v] = seconds[v]+s.Raw, n[v]+float64(s.N)
			}
		}
		e.new, e.old = append(e.new, seconds[0]/n[0]), append(e.old, seconds[1]/n[1])
	}
	e.gain = 1 - 1/judge.Compare(rec).Benchmarks[0].Change.Ratio
	return e, len(e.blocks) >= mostBlocks
}
