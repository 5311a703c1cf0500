package strangers

import (
	"runtime/debug"
	"sync/atomic"
	"testing"
)

var (
	sinkU   uint64
	sinkB   []byte
	sinkAny any
	sinkA   atomic.Uint64
)

// pick gives was in the old variant and now in the changed one.
func pick[T any](was, now T) T {
	if changed {
		return now
	}
	return was
}

// burn keeps the CPU busy for about n ns.
//
//go:noinline
func burn(n int) uint64 {
	x := uint64(n) | 1
	for range n {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

func next(x uint64) uint64 { return x*6364136223846793005 + 1442695040888963407 }

func setGC(b *testing.B, percent int) {
	was := debug.SetGCPercent(percent)
	b.Cleanup(func() { debug.SetGCPercent(was) })
}
