package wrong

import (
	"sync"
	"testing"
	"time"
)

// mistake: parallelbody
func BenchmarkParallelCount(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; i < b.N; i++ {
			store("key", i)
		}
	})
}

// mistake: parallelbody
func BenchmarkParallelIf(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		if pb.Next() {
			store("key", 1)
		}
	})
}

// mistake: parallelbody
func BenchmarkParallelShared(b *testing.B) {
	hits := 0
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			if store("key", 2) == nil {
				hits++
			}
		}
	})
	b.Log(hits)
}

// mistake: parallelbody
func BenchmarkParallelTwice(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			store("key", 3)
			pb.Next()
		}
	})
}

// mistake: parallelbody twoloops
func BenchmarkParallelPerIteration(b *testing.B) {
	for i := 0; i < b.N; i++ {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				store("key", 4)
			}
		})
	}
}

// mistake: loopgoroutine
func BenchmarkLeftRunning(b *testing.B) {
	queue := make(chan int)
	for i := 0; i < b.N; i++ {
		go func() {
			queue <- i
		}()
	}
}

// mistake: loopgoroutine
func BenchmarkAllAtOnce(b *testing.B) {
	var wg sync.WaitGroup
	for i := 0; i < b.N; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			store("k", i)
		}()
	}
	wg.Wait()
}

// mistake: loopgoroutine
func BenchmarkPoller(b *testing.B) {
	for b.Loop() {
		stop := make(chan struct{})
		go poll(stop)
		Sink = len(tokens(Text))
	}
}

func poll(stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(time.Second):
		}
	}
}
