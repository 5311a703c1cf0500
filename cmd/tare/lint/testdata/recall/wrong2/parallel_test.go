package wrong2

import (
	"strings"
	"sync"
	"testing"
)

// mistake: parallelbody
func BenchmarkParallelOnce(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		if pb.Next() {
			Count = len(words(text))
		}
	})
}

// mistake: parallelbody
func BenchmarkParallelN(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; i < b.N; i++ {
			_ = words(text)
		}
	})
}

// mistake: parallelbody
func BenchmarkParallelShared(b *testing.B) {
	total := 0
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			total += len(words(text))
		}
	})
	b.Log(total)
}

// mistake: loopgoroutine
func BenchmarkFire(b *testing.B) {
	for i := 0; i < b.N; i++ {
		go words(text)
	}
}

// mistake: loopgoroutine
func BenchmarkAllAtOnce(b *testing.B) {
	var wg sync.WaitGroup
	for range b.N {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_ = strings.Count(text, "fox")
		}()
	}
	wg.Wait()
}
