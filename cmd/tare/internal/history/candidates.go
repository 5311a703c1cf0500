package history

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// decide measures candidates until the end, one at a time.
func (r *recorder) decide(ctx context.Context, end time.Time) error {
	for {
		candidate, key, left := r.strongest()
		r.out.Open = left
		if candidate.SD == 0 || r.late(end) || ctx.Err() != nil {
			return ctx.Err()
		}
		if err := r.measure(ctx, candidate, key, end); err != nil {
			return err
		}
	}
}

func (r *recorder) candidates(k Key) []Candidate {
	list, known := r.open[k]
	if !known {
		list = r.graph.Candidates(k)
		r.open[k] = list
	}
	return list
}

// strongest is the due candidate with the largest z. Undecided ones come first.
// left counts all candidates, also the ones that wait for more history.
func (r *recorder) strongest() (best Candidate, key Key, left int) {
	for _, k := range r.graph.Keys() {
		for _, c := range r.candidates(k) {
			left++
			waits := r.graph.Line-1-c.Commit < 1<<min(c.Tries, 20)-1
			if waits || r.tried[question{r.graph.Commits[c.Commit].Hash, k}] {
				continue
			}
			again, before := c.Tries > 0, best.Tries > 0
			if best.SD == 0 || again && !before || again == before && math.Abs(c.Z()) > math.Abs(best.Z()) {
				best, key = c, k
			}
		}
	}
	return best, key, left
}

// measure compares a candidate with its parent, in fresh blocks, at the level
// that the error control of the whole history gives this test. The measurement
// becomes an edge of the history, whatever it decides. If the time ran out
// before it, there was no test.
func (r *recorder) measure(ctx context.Context, c Candidate, key Key, end time.Time) error {
	new := r.graph.Commits[c.Commit]
	r.tried[question{new.Hash, key}] = true
	d := Decision{Created: r.spec.Now().UTC(), Commit: new.Hash, Pkg: key.Pkg, Name: key.Name, Unit: key.Unit, P: 1,
		Level: r.graph.Online().Level(), Undecided: true}
	at := slices.IndexFunc(r.line, func(l Commit) bool { return l.Hash == new.Hash })
	if at < 1 {
		d.Undecided = false // the first commit has no parent
		return r.settle(ctx, d)
	}
	old := r.line[at-1]
	comparison, err := r.spec.Compare(ctx, Pair{Old: old.Hash, New: new.Hash, Pkg: key.Pkg, Bench: key.Name, Alpha: d.Level, Total: r.until(end)})
	if err != nil {
		return err
	}
	reached := r.spec.Total == 0
	for _, row := range comparison.Benchmarks {
		if row.Name != key.Name || row.Pkg != key.Pkg || row.Unit != key.Unit {
			continue
		}
		reached = reached || row.Verdict != result.NotReached
		d.LogRatio, d.Lo, d.Hi = logOf(row.Change.Ratio), logOf(row.Change.Lo), logOf(row.Change.Hi)
		if row.P != nil {
			d.P = *row.P
		}
		d.Found = row.Verdict.Differs()
		d.Undecided = !d.Found && row.Verdict != result.Same
	}
	if _, err := r.add(ctx, comparison, old, new); err != nil || !reached {
		return err
	}
	return r.settle(ctx, d)
}

func (r *recorder) settle(ctx context.Context, d Decision) error {
	if err := r.put(ctx, Entry{Decision: &d}); err != nil {
		return err
	}
	delete(r.open, d.Key())
	r.out.Decisions = append(r.out.Decisions, d)
	return nil
}
