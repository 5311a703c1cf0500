package attempt

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/lab"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// edit is a change of the code with its true effect, as a share of the time.
type edit struct{ gain float64 }

// machineNoise is what a block of each side adds, as logarithms: function order and
// process, the middle of its slices, and now and then a neighbor.
const (
	sideNoise  = 0.004
	sliceNoise = 0.002
	rareNoise  = 0.03
	rareShare  = 0.1
)

// blocksOf draws the blocks of a simulated edit.
func blocksOf(e edit, r *rand.Rand) func() result.Block {
	return func() result.Block {
		block := result.Block{First: r.IntN(2)}
		var side [2]float64
		for v := range side {
			side[v] = sideNoise * r.NormFloat64()
			if r.Float64() < rareShare {
				side[v] += rareNoise * r.ExpFloat64()
			}
		}
		side[0] += math.Log1p(-e.gain)
		for range 8 {
			round := result.Round{Order: []int{0, 1}, Slices: make([]result.Slice, 2)}
			for v := range side {
				ns := 1e5 * math.Exp(side[v]+sliceNoise*r.NormFloat64())
				round.Slices[v] = result.Slice{N: 100, Raw: ns, Followed: true}
			}
			block.Rounds = append(block.Rounds, round)
		}
		return block
	}
}

// mostBlocks is the most that an attempt gets.
const mostBlocks = 40

// judgedAttempt measures an attempt at a level through the judge that users have,
// and answers.
func judgedAttempt(next func() result.Block, level, want float64, seed uint64) (Answer, int) {
	var head result.Study
	head.Seed, head.Family = seed, int(math.Ceil(alpha/level))
	planGain(&head.Plan, level, want)
	c, blocks := judgedBlocks(head, next)
	return decideGain(c, want, level, false), blocks
}

// judgedBlocks measures blocks until the comparison is settled, at its planned
// looks.
func judgedBlocks(head result.Study, next func() result.Block) (result.Comparison, int) {
	head.Alpha, head.MaxBlocks, head.Schema, head.Kind = alpha, mostBlocks, result.RecordingSchema, "compare"
	head.Created = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	head.Variants = []result.Variant{{Label: "."}, {Label: "best"}}
	b := result.Benchmark{Key: result.Key{Pkg: "p", Name: "B"}}
	reason := "budget"
	for k := range mostBlocks {
		block := next()
		block.Block = k
		b.Blocks = append(b.Blocks, block)
		if judge.Due(head, b) {
			if j := judge.Judge(head, b, 0, 1); j.Done {
				reason = j.Reason
				break
			}
		}
	}
	rec := &result.Recording{Study: head, Benchmarks: []result.Benchmark{b}, Stops: []result.Stop{{Reason: reason}}, End: new(result.End)}
	return judge.Compare(rec), len(b.Blocks)
}

// tally counts what sessions kept.
type tally struct{ attempts, kept, falsely, real, found, blocks int }

// play runs a session: next chooses an edit, knowing all answers so far.
func play(seed uint64, attempts int, want float64, next func(r *rand.Rand, answers []Answer) edit) (t tally) {
	r := rand.New(rand.NewPCG(seed, 1))
	var levels Levels
	var answers []Answer
	for range attempts {
		e := next(r, answers)
		seed := r.Uint64()
		a, blocks := judgedAttempt(blocksOf(e, rand.New(rand.NewPCG(seed, 36))), min(levels.Next(), mostLevel), want, seed)
		levels.Add(a.Verdict == Keep)
		answers = append(answers, a)
		t.attempts++
		t.blocks += blocks
		if e.gain >= 0.02 {
			t.real++
		}
		if a.Verdict == Keep {
			t.kept++
			switch {
			case e.gain <= want:
				t.falsely++
			case e.gain >= 0.02:
				t.found++
			}
		}
	}
	return t
}

func (t *tally) add(o tally) {
	t.attempts, t.kept, t.falsely, t.real, t.found, t.blocks = t.attempts+o.attempts, t.kept+o.kept, t.falsely+o.falsely, t.real+o.real, t.found+o.found, t.blocks+o.blocks
}

// greedy tries what an agent would that sees every answer: after a keep, when the
// level is high, it tries edits without effect; what looked good and was not kept,
// it tries again in another form, as often as it likes; now and then it has an edit
// that helps. Every edit without effect has the least favorable one: the gain that
// is wanted, exactly.
func greedy(want, help float64) func(*rand.Rand, []Answer) edit {
	return func(r *rand.Rand, answers []Answer) edit {
		if n := len(answers); n > 0 {
			last := answers[n-1]
			if last.Verdict == Keep || len(last.Rows) > 0 && last.Rows[0].Change.Ratio < 1-want {
				return edit{want}
			}
		}
		if r.Float64() < help {
			return edit{0.01 + 0.04*r.Float64()}
		}
		return edit{want}
	}
}

// playAll plays sessions side by side.
func playAll[T any](n uint64, one func(seed uint64) T) []T {
	all := make([]T, n)
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for s := range n {
		slots <- struct{}{}
		wg.Go(func() {
			all[s] = one(s)
			<-slots
		})
	}
	wg.Wait()
	return all
}

// Of all keeps at most 5% are false, for edits that depend on every answer; and
// edits that help by 2% or more are found.
//
//	go test -tags lab ./cmd/tare/internal/attempt -run Adaptive -v -timeout 2h
func TestAdaptiveEditsKeepFewFalse(t *testing.T) {
	const want = 0.005
	var all tally
	for _, one := range playAll(uint64(lab.Times(4, 200)), func(seed uint64) tally { return play(seed, 60, want, greedy(want, 0.25)) }) {
		all.add(one)
	}
	t.Logf("%+v", all)
	if share := float64(all.falsely) / float64(all.kept); share > alpha {
		t.Errorf("%d of %d keeps are false", all.falsely, all.kept)
	}
	if all.found < all.real*8/10 {
		t.Errorf("%d of %d edits of 2%% or more were kept", all.found, all.real)
	}
}

// A session of 300 edits without effect keeps at most one, nearly always.
func TestEditsWithoutEffectAreNotKept(t *testing.T) {
	var all tally
	bad, n := 0, uint64(lab.Times(1, 200))
	for _, one := range playAll(n, func(seed uint64) tally {
		return play(1000+seed, 300, 0.005, func(*rand.Rand, []Answer) edit { return edit{0} })
	}) {
		all.add(one)
		if one.kept > 1 {
			bad++
		}
	}
	t.Logf("%+v, %d sessions kept more than one", all, bad)
	if bad > int(n)/20 {
		t.Errorf("%d of %d sessions kept more than one of 300 edits without effect", bad, n)
	}
}
