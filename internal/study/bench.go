package study

import (
	"fmt"
	"iter"
	"time"

	"github.com/tarebench/tare/internal/result"
)

// failure is a benchmark's own: it failed, was skipped, or took its process
// down. An error beside it would be ours.
type failure struct {
	variant int
	reason  string // "failed" or "skipped"
	message string
}

func (f *failure) Error() string {
	return fmt.Sprintf("variant %d %s: %s", f.variant, f.reason, f.message)
}

// bench is a benchmark under measurement.
type bench struct {
	index int
	result.Benchmark
	// n and rounds are chosen once, so that both sides and all blocks agree;
	// 0 until the first block.
	n      int64
	rounds int
	// probed is set when the first block has long slices between the short.
	probed bool
	// alone is set when two live workers cannot coexist.
	alone bool
	// paused is set when slices cannot count allocations; counts holds what
	// the counting rounds said, allocations per op by variant.
	paused bool
	counts [][]float64
	// wall is how long an iteration takes at best, its pauses included; 0
	// while unknown.
	wall time.Duration

	// stops is set when its timer stops inside a slice: hardware and software
	// counters are then read in counting rounds too.
	stops   bool
	blocks  []result.Block
	measure []result.Round
	spent   time.Duration
	done    bool
}

// saw notes whether the timer stops inside a slice.
func (b *bench) saw(s result.Slice) { b.stops = b.stops || s.Pauses > 1 }

// timedSlices are a variant's slices in the rounds whose times count.
func timedSlices(rounds []result.Round, variant int) iter.Seq[result.Slice] {
	return func(yield func(result.Slice) bool) {
		for _, r := range rounds {
			if !r.Warmup && !r.Counting && !yield(r.Slices[variant]) {
				return
			}
		}
	}
}
