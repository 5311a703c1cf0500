package session

import (
	"context"
	"errors"
	"math"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/study"
)

// CompareCode builds the variants of a comparison and lists their benchmarks,
// as a study does before it measures. For each benchmark in all variants, it
// reports whether all run the same machine code on the same data. It measures
// and keeps nothing. The recording contains the benchmarks, and the reasons
// why others could not be compared.
func CompareCode(ctx context.Context, spec Spec, w Watcher) (same map[result.Key]bool, rec *result.Recording, err error) {
	w.Progress(result.Progress{Phase: "building", Ratio: math.NaN()})
	sides, err := openSides(ctx, spec, w.Step)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, sides.close()) }()
	rec, same = new(result.Recording), make(map[result.Key]bool)
	codes := newCode(sides)
	decides := codes.decides(spec)
	plan := spec.Plan
	plan.Kind, plan.Seed, plan.FuncOrders, plan.TotalSeconds = "compare", 1, false, 0
	plan.Alpha, plan.Delta, plan.MaxBlocks, plan.BudgetSeconds = DefaultAlpha, DefaultDelta, 1, 1
	options := study.Options{
		Study:   result.Study{Plan: plan, Schema: result.RecordingSchema, Variants: sides.variants},
		Sources: sides.sources, Packages: sides.packages,
		Write: func(l result.Line) error { rec.Append(l); return nil },
		Code:  known{codes, decides, same},
	}
	if err := study.Run(ctx, options); err != nil && !errors.Is(err, study.ErrNothing) {
		return nil, rec, err
	}
	return same, rec, nil
}

// known notes for each benchmark whether it is the same code. To the study it
// reports all as the same, so that none is measured.
type known struct {
	*Code
	decides bool
	same    map[result.Key]bool
}

func (k known) Same(b result.Benchmark) bool {
	k.same[b.Key] = k.decides && k.Code.Same(b)
	return true
}
