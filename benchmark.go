package tare

import (
	"errors"
	"fmt"
	"time"
)

// Benchmark times an operation lap by lap. It belongs to one goroutine: see
// [Benchmark.Merge] for several. Make one with [NewBenchmark].
type Benchmark struct{ laps }

// NewBenchmark returns a benchmark of n laps. Without [Repeat] the body runs n
// times. For n ≤ 0 [Benchmark.Next] returns false at once. The first benchmark
// of a process calibrates the clock, which takes about 50 ms.
func NewBenchmark(n int, options ...Option) *Benchmark {
	s := newSettings(options)
	return &Benchmark{laps{settings: s, target: int64(n), overhead: calibrated(s)}}
}

// Next ends the previous operation and begins the next one.
//
// The compiler may delete an operation whose result is not used: assign it to
// a package variable, or use package benchmark and its Loop.
func (b *Benchmark) Next() bool {
	if b.left > 0 {
		b.left--
		return true
	}
	return next(&b.laps)
}

// Pause stops the time of the operation, for work that does not belong to it,
// until [Benchmark.Resume]. The cost of the two calls is subtracted.
func (b *Benchmark) Pause() { b.pause() }

// Resume continues after [Benchmark.Pause].
func (b *Benchmark) Resume() { b.resume() }

// Reset discards all laps so far. The next lap begins with the next call of
// [Benchmark.Next].
func (b *Benchmark) Reset() {
	b.laps = laps{settings: b.settings, target: b.target, overhead: b.overhead}
}

// Merge adds the laps of other, and ends both benchmarks. Run one benchmark in
// each goroutine, and merge them when the goroutines have ended. Merge fails if
// the two have different numbers of operations in a lap, or different clocks.
func (b *Benchmark) Merge(other *Benchmark) error {
	if b.repeat != other.repeat {
		return fmt.Errorf("merge benchmarks: laps of %d and of %d operations", b.repeat, other.repeat)
	}
	if b.overhead.cycles != other.overhead.cycles || b.overhead.unfenced != other.overhead.unfenced {
		return errors.New("merge benchmarks: they use different clocks, or one of them is Unfenced")
	}
	if !b.started {
		b.prepare()
	}
	b.finish()
	other.finish()
	b.merge(&other.laps)
	return nil
}

// LapNanos returns the laps that [KeepLaps] kept, oldest first. Each is in
// nanoseconds per operation, without the overhead. A single lap may be below
// zero by as much as the clock's step.
func (b *Benchmark) LapNanos() []float64 {
	d := b.Distribution()
	all := make([]float64, len(b.ring))
	for i, lap := range b.oldestFirst() {
		all[i] = (float64(lap) - d.offset) * d.factor
	}
	return all
}

// Durations is [Benchmark.LapNanos] in whole nanoseconds.
func (b *Benchmark) Durations() []time.Duration { return durations(b.LapNanos()) }

// Distribution returns the distribution of the laps so far, and ends the benchmark.
func (b *Benchmark) Distribution() Distribution {
	b.finish()
	return b.distribution()
}
