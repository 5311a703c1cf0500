package goroutinefatal

import (
	"sync"
	"testing"
)

func work() error { return nil }

func BenchmarkGo(b *testing.B) {
	for b.Loop() {
		done := make(chan bool)
		go func() {
			if err := work(); err != nil {
				b.Fatal(err) // want `b.Fatal in another goroutine`
			}
			done <- true
		}()
		<-done
	}
}

func BenchmarkGroup(b *testing.B) {
	for b.Loop() {
		var wg sync.WaitGroup
		wg.Go(func() {
			if work() != nil {
				b.SkipNow() // want `b.SkipNow in another goroutine`
			}
		})
		wg.Wait()
	}
}

// Near misses.

func BenchmarkError(b *testing.B) {
	for b.Loop() {
		done := make(chan error)
		go func() {
			b.Log("started")
			done <- work()
		}()
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDeferred(b *testing.B) {
	defer func() {
		if err := work(); err != nil {
			b.Fatal(err)
		}
	}()
	for b.Loop() {
		work()
	}
}
