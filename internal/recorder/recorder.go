package recorder

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/history"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/session"
	"github.com/tarebench/tare/internal/variant"
)

// Alpha is the false discovery rate over the life of a history.
const Alpha = 0.05

// Spec says what to record.
type Spec struct {
	// Session is how to measure; its variants are set here.
	Session session.Spec
	Store   history.Store
	Repo    Repository
	// Revision is the commit to record, "HEAD" by default. Against names
	// further commits to compare it with, beside its parent; empty uses the
	// anchor.
	Revision string
	Against  []string
	// Total bounds the time of all measurements; 0 has no bound.
	Total time.Duration
	Now   func() time.Time
}

// Outcome is what was recorded.
type Outcome struct {
	Commit history.Commit
	// Edges counts the rows that were stored.
	Edges int
	// Decisions are those made now, Open the candidates that were left.
	Decisions []history.Decision
	Open      int
	Skipped   []history.Skipped
}

// Run records one commit, then decides candidates as long as there is time.
func Run(ctx context.Context, spec Spec, w session.Watcher) (Outcome, error) {
	r := &run{spec: spec, watch: w, tried: make(map[question]bool)}
	if spec.Now == nil {
		r.spec.Now = time.Now
	}
	if spec.Revision == "" {
		r.spec.Revision = "HEAD"
	}
	r.deadline = r.spec.Now().Add(spec.Total)
	err := r.record(ctx)
	return r.out, err
}

type run struct {
	spec     Spec
	watch    session.Watcher
	deadline time.Time
	line     []history.Commit
	out      Outcome
	tried    map[question]bool
}

// question is a candidate for a change of one benchmark.
type question struct {
	commit string
	key    history.Key
}

func (r *run) late() bool { return r.spec.Total > 0 && !r.spec.Now().Before(r.deadline) }

func (r *run) record(ctx context.Context) (err error) {
	if r.out.Commit, err = r.spec.Repo.Commit(ctx, r.spec.Revision); err != nil {
		return err
	}
	if r.line, err = r.spec.Repo.Line(ctx, r.out.Commit.Hash); err != nil {
		return err
	}
	for _, base := range r.bases(ctx) {
		old, err := r.spec.Repo.Commit(ctx, base)
		if err != nil {
			return err
		}
		if old.Hash == r.out.Commit.Hash || r.late() {
			continue
		}
		c, err := r.compare(ctx, old.Hash, r.out.Commit.Hash, "", r.spec.Session.Alpha)
		if err != nil {
			return err
		}
		study := StudyOf(c, old, r.out.Commit, r.spec.Now())
		if len(study.Rows) == 0 {
			continue
		}
		if _, err := history.Add(ctx, r.spec.Store, history.Entry{Study: &study}, r.spec.Now()); err != nil {
			return err
		}
		r.out.Edges += len(study.Rows)
	}
	return r.decide(ctx)
}

// bases are the commits to compare with: the parent, then the anchor or what
// the user names.
func (r *run) bases(ctx context.Context) []string {
	var bases []string
	if len(r.line) > 1 {
		bases = append(bases, r.line[len(r.line)-2].Hash)
	}
	if len(r.spec.Against) > 0 {
		return append(bases, r.spec.Against...)
	}
	if anchor := r.spec.Repo.Anchor(ctx, r.out.Commit.Hash); anchor != "" {
		bases = append(bases, anchor)
	}
	return bases
}

// compare runs a session of two commits; bench is the exact name of one
// benchmark, or empty for all that the user asked for.
func (r *run) compare(ctx context.Context, old, new, bench string, alpha float64) (result.Comparison, error) {
	spec := r.spec.Session
	spec.Alpha = alpha
	spec.Kind, spec.Variants = "compare", nil
	for _, hash := range []string{old, new} {
		v, err := variant.Parse(hash)
		if err != nil {
			return result.Comparison{}, err
		}
		spec.Variants = append(spec.Variants, v)
	}
	if bench != "" {
		spec.Bench = exactly(bench)
	}
	s, err := session.Open(ctx, spec, r.watch)
	if err != nil {
		return result.Comparison{}, err
	}
	err = s.Run(ctx)
	err = errors.Join(err, s.Close())
	if err != nil && !s.Measured() {
		return result.Comparison{}, err
	}
	return s.Comparison(), nil
}

// exactly is the pattern of one benchmark.
func exactly(name string) string {
	levels := strings.Split("Benchmark"+name, "/")
	for i, l := range levels {
		levels[i] = "^" + regexp.QuoteMeta(l) + "$"
	}
	return strings.Join(levels, "/")
}

// decide measures candidates, those that stand out most first.
func (r *run) decide(ctx context.Context) error {
	for {
		files, skipped, err := history.Load(ctx, r.spec.Store)
		if err != nil {
			return err
		}
		r.out.Skipped = skipped
		g := history.NewGraph(files, Hashes(r.line))
		candidate, key, open := r.strongest(g)
		r.out.Open = len(r.tried) + open
		if open == 0 || r.late() || ctx.Err() != nil {
			return ctx.Err()
		}
		d, decided, err := r.measure(ctx, g, candidate, key)
		if err != nil {
			return err
		}
		if !decided {
			// It stays a candidate, which a later run measures again.
			r.tried[question{d.Commit, key}] = true
			continue
		}
		if _, err := history.Add(ctx, r.spec.Store, history.Entry{Decision: &d}, r.spec.Now()); err != nil {
			return err
		}
		r.out.Decisions = append(r.out.Decisions, d)
	}
}

// strongest is the candidate of the largest z that this run has not tried.
func (r *run) strongest(g *history.Graph) (best history.Candidate, key history.Key, open int) {
	for _, k := range g.Keys() {
		for _, c := range g.Series(k, 0).Candidates {
			if r.tried[question{g.Commits[c.Commit].Hash, k}] {
				continue
			}
			open++
			if math.Abs(c.Z()) > math.Abs(best.Z()) || best.SD == 0 {
				best, key = c, k
			}
		}
	}
	return best, key, open
}

// measure compares a candidate with its parent, with fresh blocks, at the level
// that the error control of the whole history gives this test.
func (r *run) measure(ctx context.Context, g *history.Graph, c history.Candidate, key history.Key) (d history.Decision, decided bool, err error) {
	new := g.Commits[c.Commit]
	d = history.Decision{Created: r.spec.Now().UTC(), Commit: new.Hash, Pkg: key.Pkg, Name: key.Name, Unit: key.Unit, P: 1,
		Level: g.Online(Alpha).Level()}
	at := slices.IndexFunc(r.line, func(l history.Commit) bool { return l.Hash == new.Hash })
	if at < 1 {
		return d, true, nil // the first commit has no parent
	}
	comparison, err := r.compare(ctx, r.line[at-1].Hash, new.Hash, key.Name, d.Level)
	if err != nil {
		return d, false, err
	}
	for _, row := range comparison.Benchmarks {
		if row.Name != key.Name || row.Pkg != key.Pkg || row.Unit != key.Unit {
			continue
		}
		d.LogRatio, d.Lo, d.Hi = logOf(row.Change.Ratio), logOf(row.Change.Lo), logOf(row.Change.Hi)
		if row.P != nil {
			d.P = *row.P
		}
		d.Found = row.Verdict == result.Faster || row.Verdict == result.Slower
		if d.Found && row.Exact {
			d.P = 0
		}
		decided = d.Found || row.Verdict == result.Same
	}
	return d, decided, nil
}

// Hashes of commits.
func Hashes(line []history.Commit) []string {
	all := make([]string, len(line))
	for i, c := range line {
		all[i] = c.Hash
	}
	return all
}

// StudyOf turns a comparison into an entry of a history: the rows with an
// estimate and an interval, in units of their own.
func StudyOf(c result.Comparison, old, new history.Commit, now time.Time) history.Study {
	s := history.Study{Created: now.UTC(), Method: result.Method, Machine: Fingerprint(c.Machine), Old: old, New: new}
	for _, b := range c.Benchmarks {
		row := history.Row{Pkg: b.Pkg, Name: b.Name, Unit: b.Unit, Blocks: b.Blocks, Verdict: string(b.Verdict),
			LogRatio: logOf(b.Change.Ratio), Lo: logOf(b.Change.Lo), Hi: logOf(b.Change.Hi)}
		if b.P != nil {
			row.P = *b.P
		}
		known := b.Change.Lo > 0 && b.Change.Hi > 0 && !math.IsInf(b.Change.Hi, 0) && b.Blocks > 0
		if !known || b.OldVariant != 0 || b.NewVariant != 1 {
			continue
		}
		s.Rows = append(s.Rows, row)
	}
	slices.SortFunc(s.Rows, func(a, b history.Row) int {
		return cmp.Or(cmp.Compare(a.Pkg, b.Pkg), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Unit, b.Unit))
	})
	return s
}

func logOf(ratio float64) float64 {
	v := math.Log(ratio)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}

// Fingerprint identifies a machine by what changes its speed: processor,
// cores, kernel and hypervisor. Two machines of one kind share it.
func Fingerprint(m *result.Machine) string {
	if m == nil {
		return "unknown"
	}
	text := fmt.Sprintf("%s %s, %d CPUs, %s, %s/%s", m.CPU.Vendor, m.CPU.Model, m.CPU.Threads, m.Virtual, m.OS, m.Arch)
	sum := sha256.Sum256([]byte(text + m.Kernel))
	return strings.Join(strings.Fields(text), " ") + " #" + hex.EncodeToString(sum[:4])
}
