package bisection

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/tarebench/tare/internal/bisect"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/session"
)

// Spec says what to search, and how to measure.
type Spec struct {
	// Session is how to measure; its variants, folder and kind are set here.
	Session session.Spec
	// Axis are the variants, the good end first.
	Axis []result.Point
	// Of names the axis: "commits", "go", or "mod=PATH".
	Of string
	// Unit is what to bisect, "sec/op" by default.
	Unit string
	// MaxBlocks bounds the search, see [bisect.Options].
	MaxBlocks int
	// Folder is where the answers are kept; one that holds answers is
	// resumed.
	Folder string
}

// Watcher follows a bisection. Its methods must not block.
type Watcher interface {
	session.Watcher
	// Posterior reports the probability of every point after an answer.
	Posterior(p []float64, blocks int)
}

// Run searches the axis.
func Run(ctx context.Context, spec Spec, w Watcher) (result.Bisection, error) {
	began := time.Now()
	if spec.Unit == "" {
		spec.Unit = "sec/op"
	}
	r := result.Bisection{Schema: result.Schema, Of: spec.Of, Unit: spec.Unit, Points: len(spec.Axis), Folder: spec.Folder}
	if len(spec.Axis) < 2 {
		return r, errors.New("bisect: the series has fewer than two points")
	}
	r.Good, r.Bad = spec.Axis[0], spec.Axis[len(spec.Axis)-1]
	log, err := openLog(spec)
	if err != nil {
		return r, err
	}
	defer log.close()
	p := &prober{spec: spec, log: log, watch: w}
	prior := make([]float64, len(spec.Axis))
	for k := 1; k < len(prior); k++ {
		prior[k] = 1
	}
	found, err := bisect.Search(ctx, p, bisect.Options{Prior: prior, MaxBlocks: spec.MaxBlocks,
		Watch: func(post bisect.Posterior, asked int) { w.Posterior(post.Step[1:], asked) }})
	if p.chosen != nil {
		r.Benchmark = *p.chosen
	}
	r.Others = p.others
	r.Ends, r.Differs, r.Same = change(found.Ends), found.Ends.Differs, found.Ends.Same
	for _, c := range found.Culprits {
		step := result.BisectionStep{Parent: spec.Axis[c.Parent], First: spec.Axis[c.Commit], Change: change(c.Change)}
		for _, k := range c.Commits {
			step.Points = append(step.Points, spec.Axis[k])
		}
		r.Steps = append(r.Steps, step)
	}
	for _, k := range found.Open {
		r.Open = append(r.Open, spec.Axis[k])
	}
	if len(found.Posterior.Step) > 0 {
		r.Posterior = found.Posterior.Step[1:]
	}
	for k, point := range spec.Axis {
		if reason, ok := found.Broken[k]; ok {
			r.Broken = append(r.Broken, result.BrokenPoint{Point: point, Reason: reason})
		}
	}
	r.Blocks, r.Seconds = found.Blocks, time.Since(began).Seconds()
	if err != nil {
		return r, fmt.Errorf("%w; what was measured is in %s: tare bisect -resume %s goes on", err, spec.Folder, spec.Folder)
	}
	return r, nil
}

func change(o bisect.Outcome) result.Change {
	return result.Change{Ratio: math.Exp(o.Center), Lo: math.Exp(o.Lo), Hi: math.Exp(o.Hi)}
}
