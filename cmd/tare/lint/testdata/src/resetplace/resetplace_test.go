package resetplace

import "testing"

func work() {}

func BenchmarkInside(b *testing.B) {
	for i := 0; i < b.N; i++ {
		b.ResetTimer() // want `b.ResetTimer inside the timed loop`
		work()
	}
}

func BenchmarkFirst(b *testing.B) {
	for i := 0; i < b.N; i++ {
		if i == 0 {
			b.ResetTimer() // want `b.ResetTimer inside the timed loop`
		}
		work()
	}
}

func BenchmarkLoop(b *testing.B) {
	for b.Loop() {
		work()
		b.ResetTimer() // want `b.ResetTimer inside the timed loop`
	}
}

func BenchmarkAfter(b *testing.B) {
	for i := 0; i < b.N; i++ {
		work()
	}
	b.ResetTimer() // want `b.ResetTimer after the timed loop`
}

// Near misses.

func BenchmarkBefore(b *testing.B) {
	work()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		work()
	}
}

func BenchmarkTwoPhases(b *testing.B) {
	for i := 0; i < b.N; i++ {
		work()
	}
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		work()
	}
}

func BenchmarkPrepared(b *testing.B) {
	c := make(chan int, b.N)
	for i := 0; i < b.N; i++ {
		c <- i
	}
	close(c)
	b.ResetTimer()
	for range c {
		work()
	}
}

func BenchmarkCases(b *testing.B) {
	for range 3 {
		b.ResetTimer()
		for i := 0; i < b.N; i++ {
			work()
		}
	}
}

func BenchmarkSub(b *testing.B) {
	for range 3 {
		b.Run("x", func(b *testing.B) {
			b.ResetTimer()
			for b.Loop() {
				work()
			}
		})
	}
}
