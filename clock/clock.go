// Package clock reads time as a benchmark needs it: never backwards, in
// nanoseconds, and with the weight of the reading known.
//
// The pipeline: [Now] reads the monotonic clock; [Cycles] reads the counter
// of the processor where it has one that ticks at a constant rate
// ([CyclesSupported]), and [Pair] with [Pairing.RateSince] turns its ticks
// into nanoseconds; [Calibrate] and [CalibrateCycles] weigh the clock: its
// step, the cost of a read, and what a timed interval with nothing in it
// reports. [CyclesAfter] and [Fence] keep the timed code from sliding past a read.
//
//	start := clock.Now()
//	work()
//	raw := clock.Now() - start
//	empty := clock.Calibrate().Overhead
//	fmt.Println(float64(raw)-empty.Hi, float64(raw)-empty.Lo) // ns
package clock

import "errors"

// ErrNoCycles is returned where the processor has no counter that ticks at a
// constant rate, or where this package cannot read it. Use [Now] instead.
var ErrNoCycles = errors.New("no cycle clock of constant rate on this processor")

// Now returns nanoseconds on a clock that never goes back and that nobody
// sets. Its zero is arbitrary: only differences mean something.
func Now() int64 { return now() }

// Cycles returns ticks of the processor's counter; all earlier instructions
// have finished before it is read, and none of the later ones has begun. It
// returns 0 where [CyclesSupported] returns an error.
//
// It reads TSC on amd64 (LFENCE, RDTSC, LFENCE: Intel SDM volume 2B, RDTSC)
// and CNTVCT_EL0 on arm64 (between ISBs: Arm ARM D11.2). Ticks are not clock
// cycles of the core: they come at a constant rate whatever the core does.
func Cycles() int64 { return cycles() }

// CyclesAfter is [Cycles] with the fence in front only: all earlier instructions
// have finished before the counter is read, later ones may have begun. It
// leaves time for what must be done with the reading; end that with [Fence].
func CyclesAfter() int64 { return cyclesAfter() }

// CyclesSupported returns nil where [Cycles] works, else an error that wraps
// [ErrNoCycles] and says why.
func CyclesSupported() error { return cyclesSupported() }

// Fence waits until all earlier instructions have finished, and lets no later
// one begin. Called behind the first read of the clock and in front of the
// second one it makes the times of reading and of the timed code add up;
// without both, a superscalar processor does part of the one during the other.
// It does nothing on processors other than amd64 and arm64.
func Fence() { fence() }
