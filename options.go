package tare

import (
	"math"
	"time"
)

// Option is an option of [NewBenchmark].
type Option interface{ set(*settings) }

// LoopOption is an option of loops that end for a reason of their own, such as
// the loop of package testing: it is also an option of benchmark.NewB.
type LoopOption interface {
	Option
	loop()
}

// StopwatchOption is an option of all: of [NewStopwatch] too.
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

// Repeat puts k operations into one lap: [Benchmark.Next] returns true k
// times for each lap, and the clock is read once. Answers are per operation:
// quantiles are those of the means of k operations, so that a slow operation
// among k shows as a k-th of its time. Without Repeat every operation is timed
// alone.
func Repeat(k int) LoopOption {
	return loopOption{func(s *settings) { s.repeat = max(1, k) }}
}

// AccurateMean times about seven in eight operations in laps of many, if single
// ones are shorter than 100 steps of the clock, and takes the mean from these.
// A read of the clock around every operation keeps a CPU from working on two at
// once, which for an operation of 10 ns may be a third of its time. Quantiles
// are those of the single operations, of which there are fewer. The first
// thousand operations, and as many as KeepLaps asks for, are timed alone. It has
// no effect with Repeat. A benchmark.B has it always.
func AccurateMean() LoopOption {
	return loopOption{func(s *settings) { s.accurateMean = true }}
}

// Until ends a benchmark after d or after n laps, whichever comes first.
func Until(d time.Duration) Option {
	return option(func(s *settings) { s.until = d })
}

// Precision ends a benchmark when the 95% interval of the median is within
// ± share of it (0.02 for 2%), or after n laps, whichever comes first. Below
// 0.01 the histogram is too coarse to decide, so 0.01 is the least. It bounds
// chance, not drift: a machine that slows down moves median and interval
// together.
func Precision(share float64) Option {
	return option(func(s *settings) { s.precision = max(share, 0.01) })
}

// KeepLaps keeps the last n laps one by one: 8 bytes each in a [Benchmark], for
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
// read instead of twice, but a lap may be off by ten nanoseconds, which the
// operation hides in one run and not in the next. Use it for many long laps. It
// has an effect with [Monotonic] and on machines without a cycle clock; the
// fences of the cycle clock take no time.
func Unfenced() LoopOption {
	return loopOption{func(s *settings) { s.unfenced = true }}
}
