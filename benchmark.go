package tare

import (
	"math"
	"time"
)

// Benchmark times an operation lap by lap. It belongs to one goroutine.
type Benchmark struct{ laps }

// Option says how a [Benchmark] runs.
type Option func(*laps)

// Repeat puts k operations into one lap: [Benchmark.Next] returns true k
// times and reads the clock once. Answers are per operation, and a slow
// operation among k shows as a k-th of its time.
//
// Without Repeat the number is found by trial: 1, unless a lap would last
// less than 100 steps of the clock; the laps of the trial are left out.
// Repeat(1) times every operation alone, however short.
func Repeat(k int) Option { return func(l *laps) { l.repeat = max(0, k) } }

// Until ends the benchmark when d has passed, or after n laps, whichever is
// first.
func Until(d time.Duration) Option { return func(l *laps) { l.until = d } }

// Precision ends the benchmark when the 95 % interval of the median is within
// ± share of it (0.02 for 2 %), or after n laps, whichever is first. Below
// 0.01 the histogram is too coarse to tell, so 0.01 is the least. It bounds
// chance, not drift: a machine that slows down moves median and interval
// together.
func Precision(share float64) Option {
	return func(l *laps) { l.precision = max(share, 0.01) }
}

// KeepLaps keeps the last n laps one by one, for [Benchmark.Laps]: 8 bytes
// each.
func KeepLaps(n int) Option { return func(l *laps) { l.keep = max(0, n) } }

// Monotonic reads [clock.Now] even where [clock.Cycles] is supported and
// cheaper.
func Monotonic() Option { return func(l *laps) { l.monotonic = true } }

// NewBenchmark returns a benchmark of at most n laps; for n ≤ 0 [Benchmark.Next]
// returns false at once.
func NewBenchmark(n int, options ...Option) *Benchmark {
	b := &Benchmark{laps{target: int64(n), until: math.MaxInt64}}
	for _, o := range options {
		o(&b.laps)
	}
	return b
}

// Next begins an operation, and ends the one before. The first call weighs
// the empty lap, which takes about 50 ms, and the last one weighs it again.
//
// The compiler may delete an operation whose result nobody uses: assign it to
// a package variable, or use [NewB] and its Loop.
func (b *Benchmark) Next() bool {
	if b.left > 0 {
		b.left--
		return true
	}
	return next(&b.laps)
}

// Pause stops the time of the operation for what does not belong to it, until
// [Benchmark.Resume]. What the two cost is taken off.
func (b *Benchmark) Pause() { b.pause() }

// Resume goes on after [Benchmark.Pause].
func (b *Benchmark) Resume() { b.resume() }

// Laps returns what [KeepLaps] kept, oldest first: nanoseconds per operation
// of each lap, the overhead taken off. Single laps may be below zero by as
// much as the clock's step.
func (b *Benchmark) Laps() []float64 {
	b.finish()
	return b.kept()
}

// Distribution answers for the laps so far, and ends the benchmark.
func (b *Benchmark) Distribution() Distribution {
	b.finish()
	return b.distribution()
}
