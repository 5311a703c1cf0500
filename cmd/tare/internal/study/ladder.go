package study

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// A block runs in the best way that its benchmark allows: all workers alive
// together, or one at a time, or as whole processes if a binary serves no
// slices. A slice of a program is always one process. Only this file chooses.

type step struct {
	pilot result.Pilot
	kind  *finding.Kind
}

// steps are the steps below the benchmark's current way. Its first block may
// need the state that its earlier sub-benchmarks leave, as at discovery.
func (a *attempt) steps() (down []step) {
	b := a.b
	if a.isProgram() {
		return nil
	}
	if len(b.Blocks) == 0 && len(b.siblings) > 0 && !b.pilot.Siblings && !b.pilot.Alone {
		down = append(down, step{result.Pilot{Siblings: true}, &catalog.SiblingsFirst})
	}
	if len(a.which) > 1 && !b.pilot.Alone {
		alone := result.Pilot{Alone: true}
		if len(b.Blocks) > 0 { // its iterations stay
			alone = b.pilot
			alone.Alone = true
		}
		down = append(down, step{alone, &catalog.OneAtATime})
	}
	return down
}

// attempt runs a block. If it fails, attempt tries again one step down, and
// the benchmark stays on the first step that succeeds. The returned error is
// from the first try.
func (r *runner) attempt(ctx context.Context, a *attempt) error {
	down := a.steps()
	err := r.oneWay(ctx, a)
	var f *Failed
	if !errors.As(err, &f) || f.Reason != failedReason {
		return err
	}
	for _, next := range down {
		if ctx.Err() != nil {
			return err
		}
		undo := r.retry(a, next.pilot)
		if r.oneWay(ctx, a) == nil {
			return r.once(next.kind.Of(a.b.Name, finding.Text("why", firstLine(f.Message))))
		}
		undo()
	}
	return err
}

func (r *runner) oneWay(ctx context.Context, a *attempt) error {
	switch {
	case a.isProgram():
		return r.programBlock(ctx, a)
	case slices.ContainsFunc(a.which, func(v int) bool { return !a.bins[v].Overlaid }):
		return r.plainBlock(ctx, a)
	case a.b.pilot.Alone:
		return r.aloneBlock(ctx, a)
	}
	return r.lockstepBlock(ctx, a)
}

// retry restarts a block. The budget is not charged for the earlier tries. It
// returns a function that restores the earlier try.
func (r *runner) retry(a *attempt, pilot result.Pilot) (undo func()) {
	b, blk := a.b, a.blk
	before := b.pilot
	b.pilot, r.inSlices, a.began = pilot, 0, time.Now()
	a.blk = &result.Block{Benchmark: b.index, Block: blk.Block, Try: blk.Try + 1, First: blk.First, FuncOrders: blk.FuncOrders}
	return func() { b.pilot, a.blk = before, blk }
}
