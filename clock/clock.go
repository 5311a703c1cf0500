// Package clock reads time as a benchmark needs it: never backwards, in
// nanoseconds, and with the overhead of the reading known.
//
// The pipeline: [Now] reads the monotonic clock; [Cycles] reads the counter
// of the processor where it has one that ticks at a constant rate
// ([CyclesSupported]); [Calibrate] and [CalibrateCycles] measure the clock: its
// step, the cost of a read, what a timed interval with nothing in it reports,
// and the [Rate] that turns ticks into nanoseconds.
//
//	start := clock.Now()
//	work()
//	raw := clock.Now() - start
//	empty := clock.Calibrate().Overhead
//	fmt.Println(float64(raw)-empty.Hi, float64(raw)-empty.Lo) // ns
package clock

import "github.com/tarebench/tare/internal/ticks"

// ErrNoCycles is returned where the processor has no counter that ticks at a
// constant rate, or where this package cannot read it. Use [Now] instead.
var ErrNoCycles = ticks.ErrNone

// Now returns nanoseconds on a clock that never goes back and that no one
// sets. Its zero is arbitrary: only differences mean something.
func Now() int64 { return ticks.Now() }

// Cycles returns ticks of the processor's counter; all earlier instructions
// have finished before it is read, and none of the later ones has begun. It
// returns 0 where [CyclesSupported] returns an error.
//
// It reads TSC on amd64 (LFENCE, RDTSC, LFENCE: Intel SDM volume 2B, RDTSC)
// and CNTVCT_EL0 on arm64 (between ISBs: Arm ARM D11.2). Ticks are not clock
// cycles of the core: they come at a constant rate whatever the core does.
func Cycles() int64 { return ticks.Read() }

// CyclesSupported returns nil where [Cycles] works, else an error that wraps
// [ErrNoCycles] and says why.
func CyclesSupported() error { return ticks.Supported() }

// Rate turns ticks of [Cycles] into nanoseconds. Lo and Hi bound NanosPerTick.
type Rate struct {
	NanosPerTick, Lo, Hi float64
	// Window is the time in nanoseconds over which the rate was measured.
	Window int64
}

// Nanos converts a number of ticks.
func (r Rate) Nanos(ticks int64) float64 { return float64(ticks) * r.NanosPerTick }
