package study

import (
	"math"

	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/stats"
)

// Between its slices a worker sleeps while others use its processor and
// caches. Short slices pay for that with a larger part of their time than long
// ones, so blocks have a few long ones too. Those of the first block tell
// whether it matters; those of all blocks, whether it changes the result.
const (
	longFirst = 4  // every fourth round of the first block is long,
	longEvery = 16 // and every 16th of the others,
	longTimes = 4  // so many times as long as the rest
	// coldShare is how much more time per operation a short slice may take.
	coldShare = 0.02
	// leastProbed is how many rounds a block needs to tell.
	leastProbed = 40
)

// probes tells whether blocks of so many rounds have long slices: where nobody
// fixed the iterations.
func (r *runner) probes(rounds int) bool {
	return r.size.fixed == 0 && rounds >= leastProbed
}

// iterations are those of a slice in a round of block k.
func (b *bench) iterations(k, round int) int64 {
	every := longEvery
	if k == 0 {
		every = longFirst
	}
	if b.plan.Long > 0 && round%every == every-1 {
		return b.plan.Iterations * int64(b.plan.Long)
	}
	return b.plan.Iterations
}

// lengthen makes the slices of the blocks to come as long as the long ones of
// the first block when the operation is slower in short ones.
func (b *bench) lengthen(first []result.Round, variants int) {
	if b.plan.Long > 0 && cold(first, b.plan.Iterations, variants) {
		b.plan.Iterations *= longTimes
		b.plan.SliceSeconds *= longTimes
		b.plan.Rounds = max(1, b.plan.Rounds/longTimes)
		b.plan.Long = 0
	}
}

// cold tells whether a variant takes clearly more time per operation in slices
// of n iterations than in longer ones.
func cold(rounds []result.Round, n int64, variants int) bool {
	for v := range variants {
		var short, long []float64
		for s := range timedSlices(rounds, v) {
			switch {
			case s.N == n:
				short = append(short, s.Seconds())
			case s.N > n:
				long = append(long, s.Seconds())
			}
		}
		if len(short) == 0 || len(long) == 0 {
			continue
		}
		more, err := stats.Median(short)-stats.Median(long), math.Hypot(medianError(short), medianError(long))
		if more > coldShare*stats.Median(long) && more > 3*err {
			return true
		}
	}
	return false
}

// medianError is the standard error of the median of independent values with
// a normal middle.
func medianError(x []float64) float64 {
	const sigmaPerMAD, medianPerMean = 1.4826, 1.2533
	return medianPerMean * sigmaPerMAD * stats.MAD(x) / math.Sqrt(float64(len(x)))
}
