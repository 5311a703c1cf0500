package study

import (
	"math"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// Between its slices a worker sleeps while others use its processor and
// caches. Short slices pay for that with a larger part of their time than long
// ones, so blocks have a few long ones too. Those of the first block show
// whether it matters; those of all blocks, whether it changes the result.
const (
	longFirst = 4  // every fourth round of a block that sizes slices is long,
	longEvery = 16 // and every 16th of the others,
	longTimes = 4  // that many times as long as the rest
	// coldShare is how much more time per operation a short slice may take.
	coldShare = 0.02
	coldError = 1e-3
	// leastProbed is how many rounds a block needs to decide.
	leastProbed = 40
)

// probes reports whether blocks of that many rounds have long slices: where nobody
// fixed the iterations.
func (r *runner) probes(rounds int) bool {
	return r.size.fixed == 0 && rounds >= leastProbed
}

// sizing reports whether the length of slices is still in question: in the first
// block, and after one that changed it. (Scattered slices are a quarter shorter at
// most.)
func (b *bench) sizing() bool {
	if len(b.Blocks) == 0 {
		return true
	}
	last := b.Blocks[len(b.Blocks)-1].Timed()
	return len(last) > 0 && slices.ContainsFunc(last[0].Slices, func(s result.Slice) bool { return 0 < s.N && 4*s.N < 3*b.plan.Iterations })
}

// iterations are those of a slice in a round of the next block.
func (b *bench) iterations(round int) int64 {
	every := longEvery
	if b.sizing() {
		every = longFirst
	}
	if b.plan.Long > 0 && round%every == every-1 {
		return b.plan.Iterations * int64(b.plan.Long)
	}
	return b.plan.Iterations
}

// longestCold is how long slices may be that are doubled for cold caches, or for
// what is left of a timed set-up.
const (
	longestCold          = 0.02  // seconds
	longestMostlyUntimed = 0.001 // seconds
)

// lengthen doubles the slices of the blocks to come when the operation is
// slower in short ones; the next block shows whether that was enough. A slice that
// is mostly untimed stays below longestMostlyUntimed: its timed part does not grow.
func (b *bench) lengthen(last []result.Round, variants int) {
	wall := b.plan.IterationSeconds * float64(b.plan.Iterations)
	if wall > longestMostlyUntimed && wall > 2*b.plan.SliceSeconds || b.plan.Long == 0 || b.plan.SliceSeconds > longestCold || !cold(last, b.plan.Iterations, variants) {
		return
	}
	b.double()
}

// double doubles the slices of the blocks to come, and halves their number.
func (b *bench) double() {
	b.plan.Iterations *= 2
	b.plan.SliceSeconds *= 2
	b.plan.Rounds = max(1, b.plan.Rounds/2)
	if b.plan.Rounds < leastProbed {
		b.plan.Long = 0
	}
}

// cold reports whether a variant takes more time per operation in slices of n
// iterations than in longer ones: each long slice is compared with those before
// and after it, and most of them must be quicker by coldShare. Where they are
// not, it is wrong in coldError of the blocks of a variant at most, whatever
// the noise is.
func cold(rounds []result.Round, n int64, variants int) bool {
	for v := range variants {
		quicker, of := 0, 0
		for i := 1; i+1 < len(rounds); i++ {
			before, long, after := rounds[i-1].Slices[v], rounds[i].Slices[v], rounds[i+1].Slices[v]
			if rounds[i-1].Warmup || before.N != n || after.N != n || long.N <= n {
				continue
			}
			of++
			if (before.Seconds()+after.Seconds())/2 > (1+coldShare)*long.Seconds() {
				quicker++
			}
		}
		if binomialTail(of, quicker) <= coldError {
			return true
		}
	}
	return false
}

// binomialTail is the probability of at least k successes in n fair trials.
func binomialTail(n, k int) float64 {
	sum, term := 0.0, math.Pow(2, -float64(n)) // term: C(n, i)/2ⁿ
	for i := range n + 1 {
		if i >= k {
			sum += term
		}
		term *= float64(n-i) / float64(i+1)
	}
	return min(1, sum)
}
