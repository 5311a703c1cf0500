//go:build !notare

package benchmark

import (
	"math"
	"sync"
	"testing"

	"github.com/tarebench/tare"
	"github.com/tarebench/tare/plot"
)

// B is a [testing.B] that times laps. It embeds the benchmark that it wraps.
// Its Loop is therefore the Loop of package testing, whose results the compiler
// keeps.
type B struct {
	*testing.B
	laps     *tare.Benchmark
	options  []tare.Option
	stopped  bool // by StopTimer
	calls    int  // of Lap
	parallel bool
	mu       sync.Mutex // guards the target of merges of parallel laps
	reported map[string]float64
	bytes    int64
}

// NewB wraps b. Call it before the loop, at the start of the benchmark
// function. The first call in a process calibrates the clock, with b's timer
// stopped. No call is needed at the end.
//
// The mean, ns/op, is the mean of package testing without the overhead. If
// single operations are too short for the clock, the mean is measured over many
// of them, as [tare.AccurateMean] does.
func NewB(b *testing.B, options ...tare.LoopOption) *B {
	running := timerRuns(b)
	if running {
		b.StopTimer()
	}
	all := []tare.Option{tare.AccurateMean()}
	for _, o := range options {
		all = append(all, o)
	}
	t := &B{B: b, options: all, laps: tare.NewBenchmark(math.MaxInt, all...)}
	b.Cleanup(t.report)
	if running {
		b.StartTimer()
	}
	return t
}

// timerRuns reports whether b's timer is running, which b does not export.
func timerRuns(b *testing.B) bool {
	start := b.Elapsed()
	for range 1000 { // far longer than the step of any clock
		if b.Elapsed() != start {
			return true
		}
	}
	return false
}

// Lap ends a lap and begins the next one. Call it as the last statement in the
// body of a b.N or Loop loop. The first call starts the first lap. The
// iteration before it, with the setup of the loop, is not recorded.
func (b *B) Lap() {
	b.calls++
	b.laps.Next()
	if b.stopped {
		b.laps.Pause()
	}
}

// Pause stops the time of the lap, for work that does not belong to it, until
// [B.Resume]. Unlike [B.StopTimer] it does not stop the world. The time of
// testing, which decides how often the benchmark runs, continues. A benchmark
// with long pauses then ends in time.
func (b *B) Pause() { b.laps.Pause() }

// Resume continues after [B.Pause].
func (b *B) Resume() { b.laps.Resume() }

// StopTimer stops the timer of testing and the time of the lap. [B.Pause]
// costs less.
func (b *B) StopTimer() {
	b.laps.Pause()
	b.stopped = true
	b.B.StopTimer()
}

// StartTimer starts the timer of testing and the time of the lap again.
func (b *B) StartTimer() {
	b.B.StartTimer()
	b.stopped = false
	b.laps.Resume()
}

// ResetTimer discards the laps so far and resets the timer of testing.
func (b *B) ResetTimer() {
	b.laps.Reset()
	b.calls = 0
	b.B.ResetTimer()
}

// SetBytes is SetBytes of package testing, for the corrected time.
func (b *B) SetBytes(n int64) {
	b.bytes = n
	b.B.SetBytes(n)
}

// ReportMetric is ReportMetric of package testing. It may also be called before
// Loop, which in package testing discards earlier metrics. It overrides a
// metric of B with the same unit.
func (b *B) ReportMetric(n float64, unit string) {
	if b.reported == nil {
		b.reported = map[string]float64{}
	}
	b.reported[unit] = n
	b.B.ReportMetric(n, unit)
}

// PB is a [testing.PB] that times the laps of its goroutine.
type PB struct {
	*testing.PB
	laps *tare.Benchmark
}

// RunParallel runs body in several goroutines, as package testing does. Its PB
// times every operation of its goroutine.
func (b *B) RunParallel(body func(*PB)) {
	b.parallel = true
	b.B.RunParallel(func(pb *testing.PB) {
		p := &PB{pb, tare.NewBenchmark(math.MaxInt, b.options...)}
		body(p)
		b.mu.Lock()
		defer b.mu.Unlock()
		_ = b.laps.Merge(p.laps) // of the same options: cannot fail
	})
}

// Next ends an operation and begins the next one, if there is one.
func (p *PB) Next() bool {
	p.laps.Next()
	return p.PB.Next()
}

// Distribution returns the distribution of the laps so far, and ends them. Call
// it after the loop.
func (b *B) Distribution() tare.Distribution { return b.laps.Distribution() }

// LapNanos returns the laps that [tare.KeepLaps] kept, oldest first, in
// nanoseconds per operation. It ends the laps.
func (b *B) LapNanos() []float64 { return b.laps.LapNanos() }

// Series returns the laps that [tare.KeepLaps] kept, in their order, for
// package plot. If it kept none, Series returns the distribution. It ends the
// laps: call it after the loop.
//
//	err := plot.All(file, plot.Options{}, tb.Series("Sprintf"))
func (b *B) Series(name string) plot.Series {
	if laps := b.LapNanos(); len(laps) > 0 {
		return plot.Nanos(name, laps)
	}
	return plot.Distribution(name, b.Distribution().Corrected())
}
