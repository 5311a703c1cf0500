package bisect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// Spec has the points of the search, and the way to measure.
type Spec struct {
	// Session is the way to measure. Run sets its variants, directory and kind.
	Session session.Spec
	// Axis are the variants, the good end first.
	Axis []result.Point
	// Of names the axis, see [Axis].
	Of string
	// Unit is the unit to bisect, "sec/op" by default.
	Unit string
	// MaxBlocks bounds the search, see [options].
	MaxBlocks int
	// Total bounds the time of the search. 0 is no bound.
	Total time.Duration
	// Folder is the directory of the answers. A search with answers is resumed.
	// Empty makes a new directory in .tare.
	Folder string
	// Compared, if not nil, receives every comparison of two points.
	Compared func(result.Comparison)

	// hunksOf are the ends of "hunks", until they are known to build with the tests
	// of the new one.
	hunksOf []build.Spec
}

// Watcher follows a bisection. Its methods must not block.
type Watcher interface {
	session.Watcher
	// posterior reports the probability of every point after an answer.
	Posterior(p []float64, blocks int)
}

// Run searches the series of a specification.
func Run(ctx context.Context, spec Spec, w Watcher) (r result.Bisection, err error) {
	began := time.Now()
	spec.Unit = cmp.Or(spec.Unit, "sec/op")
	if len(spec.Axis) < 2 {
		return r, errors.New("bisect: the series has fewer than two points")
	}
	if err := spec.Session.Check(ctx); err != nil {
		return r, err
	}
	// All questions share one lock.
	release, err := machine.Lock(ctx, spec.Session.Lock, func(holder string) { w.Notice("waiting for " + holder) })
	if err != nil {
		return r, err
	}
	defer release()
	spec.Session.Lock = machine.LockOff
	if spec.Session.Seed == 0 {
		spec.Session.Seed = rand.Uint64()>>12 + 1
	}
	if spec.Folder == "" {
		if spec.Folder, err = session.NewFolder(spec.Session.Dir, "bisect", time.Now()); err != nil {
			return r, err
		}
	}
	log, err := openLog(spec)
	if err != nil {
		return r, err
	}
	defer log.file.Close()
	// All questions share one builder, because most share a commit with an earlier one.
	builder := spec.Session.NewBuilder(w.Step)
	spec.Session.Builder = builder
	defer builder.Close()
	p := &sessionProber{spec: spec, points: spec.Axis, shared: &shared{log: log, watch: w, began: began, causes: make(map[string][]string)}}
	r, err = p.search(ctx, spec.Of)
	r.Seconds = time.Since(began).Seconds()
	if !r.Differs && !r.Same {
		r.NeedsSeconds = p.needs
	}
	if len(r.Open) > 0 && p.enough() {
		// Simulated searches need 4 blocks to halve the commits, and 8 to confirm one.
		blocks := 8 + 4*math.Log2(float64(len(r.Open)))
		r.NeedsSeconds = r.Seconds / float64(max(1, r.Blocks)) * blocks
	}
	switch broken, ok := errors.AsType[*brokenError](err); {
	case ok && spec.hunksOf != nil: // try the tests of the old end
		if spec.Axis, err = hunksBetween(ctx, spec.Session.Dir, spec.hunksOf[0], spec.hunksOf[1], true); err != nil {
			return r, err
		}
		spec.hunksOf, spec.Folder = nil, ""
		return Run(ctx, spec, w)
	case ok: // an end: a resumed search would fail here again
		return r, fmt.Errorf("bisect %s: %s cannot be measured: %s", spec.Of, spec.Axis[broken.Commit].Name, broken.Reason)
	case err != nil:
		return r, fmt.Errorf("%w: the measurements are in %s: %s continues", err, spec.Folder, spec.again())
	}
	return r, nil
}

func (s Spec) again() string { return words.Again(s.Session.Command, "-resume", s.Folder) }

func (p *sessionProber) search(ctx context.Context, of string) (result.Bisection, error) {
	found, err := findCulprits(ctx, p, len(p.points)-1, options{MaxBlocks: p.spec.MaxBlocks, Enough: p.enough,
		Watch: func(post posterior, asked int) { p.watch.Posterior(post.Step[1:], asked) }})
	ends := found.Ends
	r := result.Bisection{Schema: result.Schema, Of: of, Unit: p.spec.Unit, Points: len(p.points), Folder: p.spec.Folder, Again: p.spec.again(),
		Good: p.points[0], Bad: p.points[len(p.points)-1], Ends: change(ends), Exact: ends.Exact, Old: ends.Old, New: ends.New,
		Differs: ends.Differs, Same: ends.Same, SameCodeEnds: ends.SameCode, Others: p.others, Open: p.list(found.Open), SameCode: p.list(found.SameCode)}
	if p.chosen != nil {
		r.Benchmark = *p.chosen
	}
	if len(found.Posterior.Step) > 0 {
		r.Posterior, r.MovedBy = found.Posterior.Step[1:], found.Posterior.Moved
		r.Hidden = found.Posterior.steps[0] >= 0.5 || found.Posterior.Hidden() >= 0.5
	}
	for k, point := range p.points {
		if reason, ok := found.Broken[k]; ok {
			r.Broken = append(r.Broken, result.BrokenPoint{Point: point, Reason: reason})
		}
	}
	r.Blocks = found.Blocks
	for _, c := range found.Moved {
		r.Moved = append(r.Moved, p.confirmed(c))
	}
	for _, c := range found.Culprits {
		step, serr := p.step(ctx, of, c)
		r.Steps = append(r.Steps, step)
		for _, inside := range step.Inside {
			r.Blocks += inside.Blocks
		}
		err = errors.Join(err, serr)
	}
	return r, err
}

func (p *sessionProber) list(commits []int) []result.Point {
	var all []result.Point
	for _, k := range commits {
		all = append(all, p.points[k])
	}
	return all
}

func (p *sessionProber) confirmed(c culprit) result.BisectionStep {
	return result.BisectionStep{Points: p.list(c.Commits), Parent: p.points[c.Parent], First: p.points[c.Commit], Change: change(c.Change),
		Exact: c.Change.Exact, Old: c.Change.Old, New: c.Change.New, Causes: p.causes[p.pair(c.Old, c.New)]}
}

func (p *sessionProber) step(ctx context.Context, of string, c culprit) (result.BisectionStep, error) {
	step := p.confirmed(c)
	if p.spec.Of == "hunks" {
		err := p.hunkStep(ctx, of, c, &step)
		return step, err
	}
	if of != "commits" && of != "merge" {
		return step, nil
	}
	var err error
	if step.Files, err = changedFiles(ctx, process.Run, p.spec.Session.Dir, step.Parent, step.First); err != nil {
		return step, err
	}
	if len(step.Points) != 1 || !step.First.Merge || p.enough() {
		return step, nil
	}
	histories, err := mergedCommits(ctx, process.Run, p.spec.Session.Dir, step.First)
	if err != nil {
		return step, err
	}
	for _, points := range histories {
		inner := &sessionProber{spec: p.spec, points: points, series: points[len(points)-1].Variant, shared: p.shared}
		inside, err := inner.search(ctx, "merge")
		if broken, ok := errors.AsType[*brokenError](err); ok { // its first commit, or its last
			inside.Broken = append(inside.Broken, result.BrokenPoint{Point: points[broken.Commit], Reason: broken.Reason})
			err = nil
		}
		step.Inside = append(step.Inside, inside)
		if err != nil || inside.Differs {
			return step, err
		}
	}
	return step, nil
}

func (p *sessionProber) enough() bool { return p.spec.Total > 0 && time.Since(p.began) > p.spec.Total }

func change(o outcome) result.Change {
	return result.Change{Ratio: math.Exp(o.Center), Lo: math.Exp(o.Lo), Hi: math.Exp(o.Hi)}
}
