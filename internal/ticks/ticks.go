// Package ticks reads the two clocks of package clock with what timing laps
// in a row needs besides: [After] and [Fence] keep the timed code from moving
// past a read, and [Pair] with [Pairing.RateSince] turn ticks into
// nanoseconds.
package ticks

import "errors"

// ErrNone is returned where the processor has no counter that ticks at a
// constant rate, or where this package cannot read it.
var ErrNone = errors.New("no cycle clock of constant rate on this processor")

// unsupported says why [ErrNone]. It does without package fmt, which would be in
// every program that uses the library.
type unsupported string

func (u unsupported) Error() string { return ErrNone.Error() + ": " + string(u) }
func (u unsupported) Unwrap() error { return ErrNone }

// Now returns nanoseconds on a clock that never goes back and that no one
// sets.
func Now() int64 { return now() }

// Read returns ticks of the processor's counter: all earlier instructions
// have finished before it is read, and none of the later ones has begun. It
// returns 0 where [Supported] returns an error.
func Read() int64 { return read() }

// After is [Read] with only the first of its fences: all earlier instructions
// have finished before the counter is read, later ones may have begun. It
// leaves time to store the reading; call [Fence] after that.
func After() int64 { return after() }

// Before is [Read] with only the second of its fences: earlier instructions may
// still run when the counter is read, later ones begin after that.
func Before() int64 { return before() }

// Supported returns nil where [Read] works, else an error that wraps [ErrNone]
// and says why.
func Supported() error { return supported() }

// Fence waits until all earlier instructions have finished, and lets no later
// one begin. Called after the first read of the clock and before the second
// one it makes the times of reading and of the timed code add up; without
// both, a superscalar processor does part of the one during the other. It does
// nothing on processors other than amd64 and arm64.
func Fence() { fence() }
