package tare

import (
	"math"
	"time"
)

// Option says how a [Benchmark] or a [Stopwatch] runs.
type Option func(*settings)

type settings struct {
	repeat       int
	until        time.Duration
	precision    float64 // 0: any
	keep         int
	monotonic    bool
	accurateMean bool
	unfenced     bool
}

func newSettings(options []Option) settings {
	s := settings{repeat: 1, until: math.MaxInt64}
	for _, o := range options {
		o(&s)
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
// alone. A [Stopwatch] has no operations to repeat.
func Repeat(k int) Option { return func(s *settings) { s.repeat = max(1, k) } }

// AccurateMean times about seven in eight operations in laps of many, where
// single ones are shorter than 100 steps of the clock, and takes the mean from
// these. Reading the clock around every operation keeps a processor from
// working on two at once, which for an operation of 10 ns may be a third of its
// time. Quantiles are those of the single operations, of which there are fewer.
// The first thousand operations, and as many as KeepLaps asks for, are timed
// alone. It has no meaning with Repeat.
func AccurateMean() Option { return func(s *settings) { s.accurateMean = true } }

// Until ends a benchmark when d has passed, or after n laps, whichever is
// first.
func Until(d time.Duration) Option { return func(s *settings) { s.until = d } }

// Precision ends a benchmark when the 95% interval of the median is within
// ± share of it (0.02 for 2%), or after n laps, whichever is first. Below
// 0.01 the histogram is too coarse to decide, so 0.01 is the least. It bounds
// chance, not drift: a machine that slows down moves median and interval
// together.
func Precision(share float64) Option {
	return func(s *settings) { s.precision = max(share, 0.01) }
}

// KeepLaps keeps the last n laps one by one: 8 bytes each in a [Benchmark], for
// [Benchmark.Laps], and 16 in a [Stopwatch], for [Stopwatch.Spans].
func KeepLaps(n int) Option { return func(s *settings) { s.keep = max(0, n) } }

// Monotonic reads [clock.Now] even where [clock.Cycles] is supported and
// cheaper.
func Monotonic() Option { return func(s *settings) { s.monotonic = true } }

// Unfenced reads [clock.Now] without the fences that keep a processor from
// working on the operation while it reads the clock. An empty lap then takes 1.2
// times a read instead of twice, but a lap may be off by ten nanoseconds, which
// the operation hides in one run and not in the next: for laps of which there
// are many and long ones. It has a meaning in a [Benchmark], where [Monotonic] is
// set or there is no cycle clock; the fences of that one take no time.
func Unfenced() Option { return func(s *settings) { s.unfenced = true } }
