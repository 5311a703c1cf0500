// Package ticks reads the two clocks of package clock, and has the extras for
// timing consecutive laps. [After] and [Fence] keep the timed code from moving
// past a read. [Pair] and [Pairing.RateSince] turn ticks into nanoseconds.
package ticks

import "errors"

// ErrNone is returned if the CPU has no counter that ticks at a constant rate,
// or if this package cannot read it.
var ErrNone = errors.New("no cycle clock of constant rate on this CPU")

// unsupported is the reason for [ErrNone]. It does not use package fmt, which
// would be in every program that uses the library.
type unsupported string

func (u unsupported) Error() string { return ErrNone.Error() + ": " + string(u) }
func (u unsupported) Unwrap() error { return ErrNone }

// Now returns nanoseconds on a clock that never goes back and cannot be set.
func Now() int64 { return now() }

// Read returns ticks of the CPU's counter. All earlier instructions have
// finished before the read, and no later one has begun. It returns 0 if
// [Supported] returns an error.
func Read() int64 { return read() }

// After is [Read] with only the first of its fences. All earlier instructions
// have finished before the counter is read, and later ones may have begun.
// Store the reading, and then call [Fence].
func After() int64 { return after() }

// Before is [Read] with only the second of its fences. Earlier instructions may
// still run when the counter is read, and later ones begin after the read.
func Before() int64 { return before() }

// Supported returns nil if [Read] works. Otherwise its error wraps [ErrNone]
// and contains the reason.
func Supported() error { return supported() }

// Fence waits until all earlier instructions have finished, and lets no later
// one begin. Call it after the first read of the clock and before the second
// one. The times of reading and of the timed code then add up. Without both
// fences, a superscalar CPU overlaps them. Fence does nothing on CPUs other
// than amd64 and arm64.
func Fence() { fence() }
