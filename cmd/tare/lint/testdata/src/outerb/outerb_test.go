package outerb

import "testing"

func work() {}

func BenchmarkOuter(b *testing.B) {
	b.Run("n", func(sub *testing.B) {
		for i := 0; i < b.N; i++ { // want `b.N belongs to the outer benchmark`
			work()
		}
	})
	b.Run("loop", func(sub *testing.B) {
		for b.Loop() { // want `b.Loop belongs to the outer benchmark`
			work()
		}
	})
	b.Run("timer", func(sub *testing.B) {
		b.ResetTimer() // want `b.ResetTimer belongs to the outer benchmark`
		for sub.Loop() {
			work()
		}
	})
}

// Near misses.

func BenchmarkInner(b *testing.B) {
	b.Run("n", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			work()
		}
	})
	b.Run("names", func(sub *testing.B) {
		sub.Log(b.Name())
		for sub.Loop() {
			work()
		}
	})
}
