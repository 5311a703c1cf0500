// Package paused is lesson 1: pausing the timer in every iteration.
//
// The operation is k atomic adds. Paused stops the timer for a set-up before
// each, as package testing offers; the clock is then read once too often for
// every operation, which is a large part of a small one:
//
//	go test -bench . -benchtime 100x ./samples/paused
//
// Unpaused is the truth, and Corrected pauses with package tare, which takes
// off what pausing costs.
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

// Reset is the set-up: the counter begins again.
func (c *Counter) Reset() { c.n.Store(0) }
