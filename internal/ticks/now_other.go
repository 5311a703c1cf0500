//go:build !windows

package ticks

import "time"

// origin is read once; it is never assigned again.
var origin = time.Now()

// time.Since subtracts the monotonic readings of both times and reads no wall
// clock, so it is cheaper than time.Now and a step of the wall clock does not
// touch it.
func now() int64 { return int64(time.Since(origin)) }
