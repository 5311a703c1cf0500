// Package clock reads time for benchmarks: never backwards, in nanoseconds, and
// with a known overhead.
//
// [Now] reads the monotonic clock. [Cycles] reads the counter of the CPU, if it
// has one that ticks at a constant rate ([CyclesSupported]). [Calibrate] and
// [CalibrateCycles] measure a clock: its step, the cost of a read, the time
// that an empty interval reports, and the [Rate] that turns ticks into
// nanoseconds.
//
//	start := clock.Now()
//	work()
//	raw := clock.Now() - start
//	empty := clock.Calibrate().Overhead
//	fmt.Println(float64(raw)-empty.Hi, float64(raw)-empty.Lo) // ns
package clock

import "github.com/tarebench/tare/internal/ticks"

// ErrNoCycles is returned if the CPU has no counter that ticks at a constant
// rate, or if this package cannot read it. Use [Now] instead.
var ErrNoCycles = ticks.ErrNone

// Now returns nanoseconds on a clock that never goes back and cannot be set.
// Its zero is arbitrary: only differences mean something.
func Now() int64 { return ticks.Now() }

// Cycles returns ticks of the CPU's counter. All earlier instructions have
// finished before the read, and no later one has begun. It returns 0 if
// [CyclesSupported] returns an error.
//
// It reads TSC on amd64 (LFENCE, RDTSC, LFENCE: Intel SDM volume 2B, RDTSC) and
// CNTVCT_EL0 on arm64 (between ISBs: Arm ARM D11.2). Ticks are not clock cycles
// of the core: their rate is constant at any speed of the core.
func Cycles() int64 { return ticks.Read() }

// CyclesSupported returns nil if [Cycles] works. Otherwise its error wraps
// [ErrNoCycles] and contains the reason.
func CyclesSupported() error { return ticks.Supported() }

// Rate turns ticks of [Cycles] into nanoseconds. Lo and Hi bound NanosPerTick.
type Rate struct {
	NanosPerTick, Lo, Hi float64
	// Window is the time in nanoseconds over which the rate was measured.
	Window int64
}

// Nanos converts a number of ticks.
func (r Rate) Nanos(ticks int64) float64 { return float64(ticks) * r.NanosPerTick }
