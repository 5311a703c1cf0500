package tare

import (
	"math"
	"time"
)

// Option is an option of [NewBenchmark].
type Option interface{ set(*settings) }

// LoopOption is an option of [NewBenchmark] and of benchmark.NewB, whose loop
// of package testing decides when it ends.
type LoopOption interface {
	Option
	loop()
}

// StopwatchOption is an option of [NewStopwatch] as well as of the loops.
type StopwatchOption interface {
	LoopOption
	stopwatch()
}

type settings struct {
	repeat       int
	until        time.Duration
	precision    float64 // 0: any
	keep         int
	monotonic    bool
	accurateMean bool
	unfenced     bool
}

type (
	option          func(*settings)
	loopOption      struct{ option }
	stopwatchOption struct{ loopOption }
)

func (o option) set(s *settings)   { o(s) }
func (loopOption) loop()           {}
func (stopwatchOption) stopwatch() {}

func newSettings[O Option](options []O) settings {
	s := settings{repeat: 1, until: math.MaxInt64}
	for _, o := range options {
		if any(o) != nil {
			o.set(&s)
		}
	}
	if s.repeat > 1 {
		s.accurateMean = false
	}
	return s
}

// Repeat puts k operations into one lap: [Benchmark.Next] returns true k times
// for each lap, and the clock is read once. Results are per operation.
// Quantiles are quantiles of the means of k operations, so a slow operation
// among k shows as a k-th of its time. Without Repeat every operation is timed
// alone.
func Repeat(k int) LoopOption {
	return loopOption{func(s *settings) { s.repeat = max(1, k) }}
}

// AccurateMean times about seven in eight operations in laps of many, if single
// operations are shorter than 100 steps of the clock, and takes the mean from
// these laps. A read of the clock around every operation keeps a CPU from
// overlapping two of them. For an operation of 10 ns this overlap may be a
// third of its time. Quantiles are quantiles of the remaining single
// operations. The first thousand operations are timed alone, or as many as
// KeepLaps requests. AccurateMean has no effect with Repeat. A benchmark.B
// always has it.
func AccurateMean() LoopOption {
	return loopOption{func(s *settings) { s.accurateMean = true }}
}

// Until ends a benchmark after d or after n laps, whichever comes first.
func Until(d time.Duration) Option {
	return option(func(s *settings) { s.until = d })
}

// Precision ends a benchmark when the 95% interval of the median is within ±
// share of it (0.02 for 2%), or after n laps, whichever comes first. The
// minimum is 0.01, because the histogram is too coarse to decide below it.
// Precision bounds chance, not drift: a machine that slows down moves the
// median and its interval together.
func Precision(share float64) Option {
	return option(func(s *settings) { s.precision = max(share, 0.01) })
}

// KeepLaps keeps the last n laps. Each takes 8 bytes in a [Benchmark], for
// [Benchmark.LapNanos], and 16 in a [Stopwatch], for [Stopwatch.Spans].
func KeepLaps(n int) StopwatchOption {
	return stopwatchOption{loopOption{func(s *settings) { s.keep = max(0, n) }}}
}

// Monotonic reads [clock.Now] even if [clock.Cycles] is supported and cheaper.
func Monotonic() StopwatchOption {
	return stopwatchOption{loopOption{func(s *settings) { s.monotonic = true }}}
}

// Unfenced reads [clock.Now] without the fences that keep a CPU from working on
// the operation while it reads the clock. An empty lap then takes 1.2 times a
// read instead of twice. In return, a lap may be off by ten nanoseconds that
// the operation hides in one run and not in the next. Use it for many long
// laps. It has an effect with [Monotonic] and on machines without a cycle
// clock. The fences of the cycle clock take no time.
func Unfenced() LoopOption {
	return loopOption{func(s *settings) { s.unfenced = true }}
}
