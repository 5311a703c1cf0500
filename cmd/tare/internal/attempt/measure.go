package attempt

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

// mostLevel is the maximum of an attempt's level. From 0.01 on, a study may
// share so few function orders that one outlier leaves it undecided.
const mostLevel = 0.0099

// unlikely is twice the chance to give up at a look if the gain is exactly the
// wanted one. A larger gain has a smaller chance.
const unlikely = 0.2

// timeAlone measures until the gate decides time, at delta.
var timeAlone = result.Limits{"sec/op": result.DefaultLimit}

// measure tests whether the attempt gains, and then whether others lose. An
// interrupted or undecided attempt continues in its own study, at its first
// plan and level. Its error rate covers all looks.
func (r *run) measure(ctx context.Context, a *Attempt) error {
	if a.Level == 0 {
		a.Level = min(r.session.Levels().Next(), mostLevel)
		a.Folder = r.folder(a, "gain")
		a.Verdict = Open
		// From here on, a kill has spent the level.
		if err := r.ledger.Add(Line{Attempt: a}); err != nil {
			return err
		}
	}
	// The working tree comes first: see DecideGain.
	spec := r.spec(build.WorkingTree, r.best)
	spec.Folder = a.Folder
	planGain(&spec.Plan, a.Level, r.o.Want)
	// The best tree stays linked between attempts. The total uses new orders.
	spec.Orders = uint64(r.session.Baseline.At.UnixMilli())
	decide := func(c result.Comparison) Answer { return DecideGain(c, r.o.Want, spec.MaxBlocks) }
	c, err := r.study(ctx, spec, swapped{r.w}, func(c result.Comparison) bool { return decide(c).Verdict != Again })
	if err != nil {
		return err
	}
	a.Answer = decide(c)
	if a.Reason == sameAsBest {
		a.Level = 0
	}
	if a.Verdict == Keep {
		if err := r.others(ctx, a); err != nil {
			return err
		}
	}
	now, err := r.trees.Snapshot(ctx)
	if err == nil && now != r.tree {
		a.Answer = Answer{Verdict: Failed, Reason: "files changed while they were measured"}
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

func exchange(p result.Progress) result.Progress {
	p.Ratio, p.Lo, p.Hi = 1/p.Ratio, 1/p.Hi, 1/p.Lo
	switch p.Verdict {
	case result.Faster:
		p.Verdict = result.Slower
	case result.Slower:
		p.Verdict = result.Faster
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
	keep := a.Answer
	decide := func(c result.Comparison) Answer { return DecideOthers(keep, c, spec.MaxBlocks) }
	c, err := r.study(ctx, spec, r.w, func(c result.Comparison) bool { return decide(c).Verdict != Again })
	if err != nil || len(c.Benchmarks) == 0 {
		return err
	}
	a.Answer = decide(c)
	return nil
}

// exactly is a pattern of these benchmarks and their sub-benchmarks.
func exactly(names []string) string {
	var all []string
	for _, name := range names {
		elements := strings.Split("Benchmark"+name, "/")
		for i, e := range elements {
			elements[i] = "^" + regexp.QuoteMeta(e) + "$"
		}
		all = append(all, strings.Join(elements, "/"))
	}
	return strings.Join(all, "|")
}

// study runs a comparison in its directory and judges it. It continues an
// existing one that is not decided. Without a benchmark the comparison is
// empty.
func (r *run) study(ctx context.Context, spec session.Spec, w session.Watcher, decided func(result.Comparison) bool) (c result.Comparison, err error) {
	if recorded(spec.Folder) {
		_, rec, err := session.Finished(spec.Folder, false)
		if err != nil {
			return c, err
		}
		if c := judge.Compare(rec); !c.Incomplete && decided(c) {
			return c, nil
		}
		if spec, err = r.resume(spec); err != nil {
			return c, err
		}
	}
	m, err := session.Open(ctx, spec, w)
	if err != nil {
		return c, err
	}
	err = m.Run(ctx)
	empty := m.Recording() != nil && len(m.Recording().Benchmarks) == 0
	if m.Measured() || err == nil {
		c = m.Comparison()
	}
	interrupted := m.Interrupted()
	err = errors.Join(err, m.Close(), removeBinaries(spec.Folder))
	switch {
	case interrupted:
		return c, errors.Join(context.Cause(ctx), err)
	case empty && ctx.Err() == nil:
		return result.Comparison{}, nil
	}
	return c, err
}

// resume continues a study with a second budget of the same size.
func (r *run) resume(spec session.Spec) (session.Spec, error) {
	rest, err := session.Resume(spec.Folder, false)
	if err != nil {
		return rest, err
	}
	rest.BudgetSeconds += r.o.Spec.BudgetSeconds
	rest.Dir, rest.Folder, rest.Host, rest.Lock, rest.Builder = spec.Dir, spec.Folder, spec.Host, spec.Lock, spec.Builder
	return rest, nil
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
