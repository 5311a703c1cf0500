package pairs

import (
	"sync"
	"testing"
	"time"
)

// The new code waits 2 ms in every 300th operation.
func BenchmarkRareSleep(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = work(10_000, sink+1)
		if changed && i%300 == 299 {
			time.Sleep(2 * time.Millisecond)
		}
	}
}

// The new code computes in every 500th operation.
func BenchmarkRareWork(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = work(5000, sink+1)
		if i%500 == 499 {
			sink = work(choose(100_000, 2_000_000), sink)
		}
	}
}

// The new code does half of the work on another CPU.
func BenchmarkTwoCPUs(b *testing.B) {
	const steps = 300_000
	for b.Loop() {
		if !changed {
			sink = work(steps, sink+1)
			continue
		}
		var other uint64
		var wg sync.WaitGroup
		wg.Go(func() { other = work(steps/2, 1) })
		sink = work(steps/2, sink+1)
		wg.Wait()
		sink += other
	}
}

// RunParallel, with an operation of a few milliseconds.
func BenchmarkParallel(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		x := uint64(1)
		for pb.Next() {
			x = work(choose(1_500_000, 1_350_000), x)
		}
	})
}

// Many goroutines take a lock.
func BenchmarkManyGoroutines(b *testing.B) {
	b.SetParallelism(50)
	var mu sync.Mutex
	b.RunParallel(func(pb *testing.PB) {
		x := uint64(1)
		for pb.Next() {
			mu.Lock()
			sink = work(choose(50, 150), sink+1)
			mu.Unlock()
			x = work(100, x)
		}
	})
}
