package loopgoroutine

import (
	"sync"
	"testing"
)

func work() {}

func BenchmarkLeft(b *testing.B) {
	for b.Loop() {
		go work() // want `starts a goroutine that nothing waits for`
	}
}

func BenchmarkMany(b *testing.B) {
	var wg sync.WaitGroup
	for i := 0; i < b.N; i++ {
		wg.Go(work) // want `b.N of them run at once`
	}
	wg.Wait()
}

// Near misses.

func BenchmarkWaited(b *testing.B) {
	var wg sync.WaitGroup
	for b.Loop() {
		for range 4 {
			wg.Go(work)
		}
		wg.Wait()
	}
}

func BenchmarkReceived(b *testing.B) {
	for b.Loop() {
		c := make(chan bool)
		go func() { c <- true }()
		<-c
	}
}

func BenchmarkLimited(b *testing.B) {
	limit := make(chan bool, 4)
	for i := 0; i < b.N; i++ {
		limit <- true
		go func() { work(); <-limit }()
	}
}

func BenchmarkSpawn(b *testing.B) {
	for i := 0; i < b.N; i++ {
		go work()
	}
}

func BenchmarkHanded(b *testing.B) {
	c := make(chan bool)
	for b.Loop() {
		go func() { c <- true }()
		take(c)
	}
}

func take(c chan bool) { <-c }

func BenchmarkCallers(b *testing.B) {
	var wg sync.WaitGroup
	for i := 0; i < b.N; i++ {
		for range 10 {
			wg.Go(work)
		}
	}
	wg.Wait()
}

func BenchmarkCallersLeft(b *testing.B) {
	for i := 0; i < b.N; i++ {
		for range 10 {
			go work() // want `starts a goroutine that nothing waits for`
		}
	}
}
