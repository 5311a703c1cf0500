package loopdefer

import (
	"sync"
	"testing"
)

var mu sync.RWMutex

func BenchmarkLock(b *testing.B) {
	for b.Loop() {
		mu.RLock()
		defer mu.RUnlock() // want `defer in the timed loop`
	}
}

func BenchmarkDeferred(b *testing.B) {
	for b.Loop() {
		mu.RLock()
		if mu.TryRLock() {
			defer mu.RUnlock() // want `defer in the timed loop`
		}
		mu.RUnlock()
	}
}

// Near misses.

func BenchmarkDefer(b *testing.B) {
	for i := 0; i < b.N; i++ {
		defer func() {}()
	}
}

func BenchmarkLiteral(b *testing.B) {
	for b.Loop() {
		func() {
			mu.Lock()
			defer mu.Unlock()
		}()
	}
}

func BenchmarkBefore(b *testing.B) {
	mu.Lock()
	defer mu.Unlock()
	for b.Loop() {
		mu.TryLock()
	}
}
