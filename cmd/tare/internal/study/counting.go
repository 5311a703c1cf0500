package study

import (
	"context"
	"slices"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/worker"
)

// noteAllocations keeps the allocations and bytes per operation that a block
// counted.
func (b *bench) noteAllocations(counting []result.Round) {
	for _, d := range result.Differences(counting) {
		b.counts = append(b.counts, perOpCounts(d.Slices))
	}
}

// Allocations are the slope of calls of different length. They are counted until
// leastAgreeing slopes are alike (two in each of three blocks), in slices that
// take at most countingTime together, or pausedTime if the benchmark stops its
// timer.
const (
	leastAgreeing = 6
	countingCalls = 3
	countingTime  = 10 * time.Millisecond
	pausedTime    = 150 * time.Millisecond
	mostCounted   = 1000 // operations
	// longestCounted is the longest operation that is repeated for its count.
	longestCounted = 10 * time.Millisecond
)

// countAllocations runs the counting rounds of a block: a call of the benchmark
// with n iterations, one with 2n and, unless it is slow, one with 4n.
func (l *workerSet) countAllocations(ctx context.Context) (rounds []result.Round, err error) {
	b := l.b
	if b.allocationsAgree() || b.plan.IterationSeconds > longestCounted.Seconds() && !b.plan.Paused {
		return nil, nil
	}
	limit := countingTime
	if b.plan.Paused {
		limit = pausedTime
	}
	n := b.countingIterations(mostCounted/7, limit/7)
	calls := []int64{n, 2 * n, 4 * n}
	if b.plan.IterationSeconds > limit.Seconds()/7 {
		calls = calls[:2]
	}
	for _, n := range calls {
		some, err := l.take(ctx, []roundPlan{{order: l.variants, n: n, reading: worker.Every}})
		if err != nil {
			return nil, err
		}
		for i := range some[0].Slices {
			some[0].Slices[i].Metrics = nil // known from timed rounds
		}
		rounds = append(rounds, some...)
	}
	return rounds, nil
}

// allocationsAgree reports whether enough slopes were counted and all are alike.
// Otherwise each block counts, so that the count gets an interval.
func (b *bench) allocationsAgree() bool {
	return len(b.counts) >= leastAgreeing && !slices.ContainsFunc(b.counts, func(c []float64) bool { return !slices.Equal(c, b.counts[0]) })
}

// countingIterations are as many as wanted, so that fractions are exact; fewer
// where they would take longer than longest.
func (b *bench) countingIterations(wanted int64, longest time.Duration) int64 {
	if b.plan.IterationSeconds <= 0 {
		return max(1, min(b.plan.Iterations, wanted))
	}
	return max(1, min(wanted, int64(longest.Seconds()/b.plan.IterationSeconds)))
}

func perOpCounts(slices []result.Slice) (perOp []float64) {
	for _, s := range slices {
		n := float64(max(1, s.N))
		perOp = append(perOp, float64(s.Mallocs)/n, float64(s.Bytes)/n)
	}
	return perOp
}
