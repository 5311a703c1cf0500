package study

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/cmd/tare/internal/worker"
)

// noteAllocations keeps what a counting round says of allocations.
func (b *bench) noteAllocations(round result.Round) {
	if slices.ContainsFunc(round.Slices, func(s result.Slice) bool { return s.Counted }) {
		b.counts = append(b.counts, perOpCounts(round.Slices))
	}
}

// allocationRounds are the counting rounds of a block. What counts is their
// median: the runtime starts a thread now and then, and a thread is a few
// allocations of its own.
const allocationRounds = 3

// countAllocations runs the counting rounds of a benchmark that pauses too
// often for its allocations to be counted in timed slices: about 1,000 pauses
// in each of the first two blocks; where they agree, that settles it, else 250
// in each block.
func (l *workerSet) countAllocations(ctx context.Context, k int) (rounds []result.Round, err error) {
	b := l.b
	if !b.plan.Paused || k >= 2 && b.allocationsAgree() {
		return nil, nil
	}
	pauses, longest := int64(1000), 500*time.Millisecond // a twentieth of the default budget
	if k >= 2 {
		pauses, longest = 250, 125*time.Millisecond
	}
	one := roundPlan{order: l.variants, n: b.countingIterations(pauses/allocationRounds, longest/allocationRounds), reading: worker.Every}
	for range allocationRounds {
		some, err := l.take(ctx, []roundPlan{one})
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

// allocationsAgree reports whether the last two blocks counted the same allocations.
func (b *bench) allocationsAgree() bool {
	n := len(b.counts)
	if n < 2*allocationRounds {
		return false
	}
	for v := range b.counts[0] {
		var typical [2]float64
		for block := range typical {
			var counts []float64
			for i := range allocationRounds {
				counts = append(counts, b.counts[n-(1+block)*allocationRounds+i][v])
			}
			typical[block] = stats.Median(counts)
		}
		if math.Abs(typical[0]-typical[1]) > 0.001*max(typical[0], typical[1]) {
			return false
		}
	}
	return true
}

// countingIterations are as many as wanted, so that fractions are exact; fewer
// where they would take longer than longest, what is counted in them not
// included, but at least those of a timed slice.
func (b *bench) countingIterations(wanted int64, longest time.Duration) int64 {
	if b.plan.IterationSeconds <= 0 {
		return min(b.plan.Iterations, wanted)
	}
	return min(wanted, max(b.plan.Iterations, int64(longest.Seconds()/b.plan.IterationSeconds)))
}

func perOpCounts(slices []result.Slice) []float64 {
	perOp := make([]float64, len(slices))
	for v, s := range slices {
		if s.N > 0 {
			perOp[v] = float64(s.Mallocs) / float64(s.N)
		}
	}
	return perOp
}
