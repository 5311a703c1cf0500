package attempt

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

// mostLevel is the maximum of an attempt's level. From [judge.Coarse] on, a study may
// share so few function orders that one outlier leaves it undecided.
const mostLevel = 0.99 * judge.Coarse

// unlikely is twice the chance to give up at a look if the gain is exactly the
// wanted one. A larger gain has a smaller chance.
const unlikely = 0.2

// mostCalls is the maximum of calls until an attempt has a final answer.
const mostCalls = 3

// timeAlone measures until the gate decides time, at delta.
var timeAlone = result.Limits{"sec/op": result.DefaultLimit}

// measure tests whether the attempt gains, and then whether others lose. An
// interrupted or undecided attempt continues in its own study, at its first
// plan and level. Its error rate covers all looks.
func (r *run) measure(ctx context.Context, a *Attempt) error {
	if a.Level == 0 {
		a.Level = min(r.session.Levels().Next(), mostLevel)
		a.Folder, a.Verdict = r.folder(a, "gain"), Open
		// From here on, a kill has spent the level.
		if err := r.ledger.Add(Line{Attempt: a}); err != nil {
			return err
		}
	}
	// The working tree comes first: see decideGain.
	spec := r.spec(build.WorkingTree, r.best)
	spec.Folder = r.folder(a, "gain")
	planGain(&spec.Plan, a.Level, r.o.Want)
	// The best tree stays linked between attempts. The total uses new orders.
	spec.FuncOrderSeed = uint64(r.session.Baseline.At.UnixMilli())
	a.Calls++
	decide := func(c result.Comparison, more bool) Answer { return decideGain(c, r.o.Want, a.Level, more) }
	c, more, err := r.study(ctx, spec, swapped{r.w}, func(c result.Comparison) bool { return decide(c, true).Verdict != Again })
	if err != nil {
		return err
	}
	a.Answer = decide(c, more && a.Calls < mostCalls)
	if a.Reason == sameAsBest {
		a.Level = 0
	}
	if a.Verdict == Keep {
		if err := r.others(ctx, a); err != nil {
			return err
		}
	}
	now, err := r.trees.Snapshot(ctx)
	var edited []string
	if err == nil && now != r.tree {
		edited, err = r.trees.Changed(ctx, r.tree, now)
	}
	// A benchmark may write below testdata. Anything else is an edit, and no tree
	// has this answer.
	if slices.ContainsFunc(edited, func(name string) bool { return !slices.Contains(strings.Split(name, "/"), "testdata") }) {
		a.Tree, a.Answer = "", Answer{Verdict: Again, Reason: "files changed while they were measured"}
	}
	return err
}

// planGain makes a comparison test at level whether the second variant is slower
// by more than the gain that is wanted. An attempt ends without a keep as soon as
// a look makes that unlikely.
func planGain(p *result.Plan, level, want float64) {
	p.Level, p.Delta, p.Output.Gate, p.PassLevel = level, gateDelta(want), timeAlone, unlikely
}

// swapped shows the progress of a comparison with the variants swapped.
type swapped struct{ session.Watcher }

func (s swapped) Progress(p result.Progress) { s.Watcher.Progress(exchange(p)) }
func (s swapped) Finished(p result.Progress) { s.Watcher.Finished(exchange(p)) }

// exchange leaves the answer to the attempt: the verdict of its study is at
// another level.
func exchange(p result.Progress) result.Progress {
	p.Ratio, p.Lo, p.Hi = 1/p.Ratio, 1/p.Hi, 1/p.Lo
	if p.Verdict != result.Failed {
		p.Verdict = ""
	}
	return p
}

// others compares the other benchmarks of the packages that the change reaches.
func (r *run) others(ctx context.Context, a *Attempt) error {
	spec := r.spec(r.best, build.WorkingTree)
	names := r.hidden
	for _, row := range a.Rows {
		names = append(names, row.Name)
	}
	spec.Bench, spec.Skip, spec.Folder, spec.Output.Gate = ".", exactly(names), r.folder(a, "others"), timeAlone
	c, _, err := r.study(ctx, spec, r.w, func(result.Comparison) bool { return true })
	if err != nil || len(c.Benchmarks) == 0 {
		return err
	}
	a.Answer = decideOthers(a.Answer, c)
	return nil
}

func exactly(names []string) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = result.ExactPattern("Benchmark" + name)
	}
	return strings.Join(all, "|")
}

// study runs a comparison in its directory and judges it. It continues an
// existing one that is not decided. More is true if a further call can continue
// it. Without a benchmark the comparison is empty.
func (r *run) study(ctx context.Context, spec session.Spec, w session.Watcher, decided func(result.Comparison) bool) (c result.Comparison, more bool, err error) {
	if recorded(spec.Folder) {
		again, none := spec, func(string) bool { return false }
		if err := again.Resume(spec.Folder, none); err != nil {
			return c, false, err
		}
		rec := again.Resumed()
		if c := judge.Compare(rec); !c.Incomplete && (decided(c) || !continues(rec)) {
			return c, false, again.Leave()
		}
		// As much time again as it had, but at least the budget, and a block more: the
		// next block may be longer than the budget.
		again.BudgetSeconds = further(rec, r.o.Spec.BudgetSeconds)
		spec = again
	}
	m, err := session.Open(ctx, spec, w)
	if err != nil {
		return c, false, err
	}
	err = m.Run(ctx)
	empty := m.Recording() != nil && len(m.Recording().Benchmarks) == 0
	if m.Measured() || err == nil {
		c, more = m.Comparison(), continues(m.Recording())
	}
	interrupted := m.Interrupted()
	err = errors.Join(err, m.Close(), removeBinaries(spec.Folder))
	switch {
	case interrupted:
		return c, false, errors.Join(context.Cause(ctx), err)
	case empty && ctx.Err() == nil:
		return result.Comparison{}, false, nil
	}
	return c, more, err
}

// continues reports whether a larger budget measures more of a study.
func continues(rec *result.Recording) bool {
	return slices.ContainsFunc(rec.Stops, func(s result.Stop) bool { return s.Reason == "budget" })
}

// further is the budget of a study that measures every benchmark on.
func further(rec *result.Recording, budget float64) (most float64) {
	for _, b := range rec.Benchmarks {
		spent, longest := 0.0, 0.0
		for _, k := range b.Blocks {
			spent, longest = spent+k.Seconds, max(longest, k.Seconds)
		}
		most = max(most, spent+longest+max(spent, budget))
	}
	return most
}

// heldOut are the held-out benchmarks. The name of the session draws them, so
// all its attempts have the same. At least one function is measured.
func heldOut(functions []string, share float64, session string) (names []string) {
	slices.Sort(functions)
	for _, f := range functions {
		sum := sha256.Sum256([]byte(session + "\x00" + f))
		if float64(binary.BigEndian.Uint64(sum[:8]))/math.MaxUint64 < share && len(names)+1 < len(functions) {
			names = append(names, strings.TrimPrefix(f, "Benchmark"))
		}
	}
	return names
}
