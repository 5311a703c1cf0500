package parallelbody

import (
	"sync"
	"sync/atomic"
	"testing"
)

var Sink int

func work() int { return 1 }

func BenchmarkN(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; i < b.N; i++ { // want `a b.N loop inside RunParallel`
			work()
		}
	})
}

func BenchmarkLoop(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for b.Loop() { // want `a b.Loop loop inside RunParallel`
			work()
		}
	})
}

func BenchmarkOnce(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) { // want `the body of RunParallel never calls pb.Next`
		work()
	})
}

func BenchmarkShared(b *testing.B) {
	count := 0
	seen := map[int]bool{}
	var state struct{ n int }
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			count++         // want `count is shared by the goroutines`
			Sink = work()   // want `Sink is shared by the goroutines`
			seen[1] = true  // want `seen is shared by the goroutines`
			state.n += Sink // want `state is shared by the goroutines`
		}
	})
}

func BenchmarkTimer(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			b.StopTimer() // want `b.StopTimer in a goroutine of RunParallel`
			work()
			b.StartTimer() // want `b.StartTimer in a goroutine of RunParallel`
		}
	})
}

// Near misses.

func BenchmarkOwn(b *testing.B) {
	var count atomic.Int64
	slots := make([]int, 64)
	b.RunParallel(func(pb *testing.PB) {
		local := 0
		id := count.Add(1)
		for pb.Next() {
			local += work()
			slots[id%64]++
		}
		_ = local
	})
}

func BenchmarkLocked(b *testing.B) {
	var mu sync.Mutex
	count := 0
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			mu.Lock()
			count++
			mu.Unlock()
		}
	})
}

func drain(pb *testing.PB) {
	for pb.Next() {
		work()
	}
}

func BenchmarkHandsOn(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) { drain(pb) })
}

func BenchmarkReadsN(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		i := b.N / 2
		for pb.Next() {
			i++
		}
		_ = i
	})
}

func BenchmarkNextOnce(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		if pb.Next() { // want `pb.Next outside a loop's condition`
			work()
		}
	})
}

func BenchmarkNextByHand(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for {
			if !pb.Next() {
				break
			}
			work()
		}
	})
}

type iterator struct{ left int }

func (it *iterator) last() bool { it.left = 9; return true }
func (it *iterator) prev() bool { it.left--; return it.left > 0 }

func BenchmarkFirstInIf(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		var it iterator
		if pb.Next() && it.last() {
			for pb.Next() && it.prev() {
			}
		}
	})
}

func BenchmarkLostInIf(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		if pb.Next() { // want `pb.Next outside a loop's condition`
			for pb.Next() {
				work()
			}
		}
	})
}
