// Package paused is lesson 1: pausing the timer in every iteration.
//
// The operation is k atomic adds. Paused stops the timer for a setup before
// each, as package testing offers. Every operation then includes an extra read
// of the clock, which is a large part of a small operation:
//
//	go test -bench . -benchtime 100x ./samples/paused
//
// Unpaused has the true time. Corrected pauses with package tare, which
// subtracts the cost of a pause.
package paused

import "sync/atomic"

// Counter is shared by its users.
type Counter struct{ n atomic.Int64 }

// Add counts k times.
func (c *Counter) Add(k int) {
	for range k {
		c.n.Add(1)
	}
}

// Reset is the setup: the counter begins again.
func (c *Counter) Reset() { c.n.Store(0) }
