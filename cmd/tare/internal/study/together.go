package study

import (
	"context"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/internal/finding"
)

const (
	// togetherShare is how much slower a variant is in turn with the others, in
	// all rounds of a probe, before tare reports it.
	togetherShare = 0.1
	// togetherTime is how long the variants run together, and each alone:
	// reading 24 MB from memory takes 3 to 40 ms.
	togetherTime = longestSlice / 2
)

// together finds the variants that take more time in turn with the others than
// alone.
func (l *workerSet) together(ctx context.Context, over func() bool) error {
	p := &l.b.plan
	if len(l.variants) < 2 || p.IterationSeconds*float64(p.Iterations) > togetherTime.Seconds()/2 {
		return nil
	}
	apart := make([][]float64, len(l.variants))
	for more := true; len(apart[0]) < probeRounds; {
		if !more || over() {
			return nil
		}
		more = false
		both, err := l.steady(ctx, l.variants, p.Iterations, togetherTime)
		if err != nil || both.outside > both.took/2 {
			return err // other programs use the caches in between
		}
		for side, v := range l.variants {
			alone, err := l.steady(ctx, []int{v}, p.Iterations, togetherTime)
			if err != nil {
				return err
			}
			apart[side] = append(apart[side], both.perOp[side]/alone.perOp[0]-1)
			more = more || slices.Min(apart[side]) >= togetherShare
		}
	}
	for side, v := range l.variants {
		if slices.Min(apart[side]) < togetherShare {
			continue
		}
		change := finding.Change("change", stats.Median(apart[side]))
		if err := l.r.find(kind.SlowerTogether.Of(l.b.Name, finding.Text("variant", l.r.o.Study.Variants[v].Label), change)); err != nil {
			return err
		}
	}
	return nil
}
