package paused

import (
	"strconv"
	"testing"

	"github.com/tarebench/tare/benchmark"
)

// forEach runs f for k = 1 to 100,000.
func forEach(b *testing.B, f func(b *testing.B, k int)) {
	for k := 1; k <= 100_000; k *= 10 {
		b.Run("k="+strconv.Itoa(k), func(b *testing.B) { f(b, k) })
	}
}

func BenchmarkPaused(b *testing.B) {
	forEach(b, func(b *testing.B, k int) {
		var c Counter
		for range b.N {
			b.StopTimer()
			c.Reset()
			b.StartTimer()
			c.Add(k)
		}
	})
}

func BenchmarkUnpaused(b *testing.B) {
	forEach(b, func(b *testing.B, k int) {
		var c Counter
		for range b.N {
			c.Add(k)
		}
	})
}

func BenchmarkCorrected(b *testing.B) {
	forEach(b, func(b *testing.B, k int) {
		var c Counter
		tb := benchmark.NewB(b)
		for tb.Loop() {
			tb.Pause()
			c.Reset()
			tb.Resume()
			c.Add(k)
			tb.Lap()
		}
	})
}
