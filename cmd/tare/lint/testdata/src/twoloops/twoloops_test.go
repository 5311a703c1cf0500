package twoloops

import "testing"

func work() {}

func BenchmarkBefore(b *testing.B) {
	for i := 0; i < b.N; i++ { // want `a b.N loop in a benchmark that loops with b.Loop`
		work()
	}
	for b.Loop() {
		work()
	}
}

func BenchmarkInside(b *testing.B) {
	for b.Loop() {
		for range b.N { // want `a b.N loop in a benchmark that loops with b.Loop`
			work()
		}
	}
}

func BenchmarkAfter(b *testing.B) {
	for b.Loop() {
		work()
	}
	for range b.N { // want `a b.N loop in a benchmark that loops with b.Loop`
		work()
	}
}

// Near misses.

func BenchmarkMetric(b *testing.B) {
	for b.Loop() {
		work()
	}
	b.ReportMetric(1/float64(b.N), "x/op")
}

func BenchmarkEither(b *testing.B) {
	if testing.Short() {
		for range b.N {
			work()
		}
	} else {
		for b.Loop() {
			work()
		}
	}
}

func BenchmarkReturn(b *testing.B) {
	if testing.Short() {
		for range b.N {
			work()
		}
		return
	}
	for b.Loop() {
		work()
	}
}

func BenchmarkSubs(b *testing.B) {
	b.Run("n", func(b *testing.B) {
		for range b.N {
			work()
		}
	})
	b.Run("loop", func(b *testing.B) {
		for b.Loop() {
			work()
		}
	})
}

func BenchmarkTwice(b *testing.B) {
	for b.Loop() {
		work()
	}
	for b.Loop() { // want `a second b.Loop loop`
		work()
	}
}

func BenchmarkRunInLoop(b *testing.B) {
	for i := 0; i < b.N; i++ {
		b.Run("sub", func(b *testing.B) { // want `b.Run in the timed loop`
			for b.Loop() {
				work()
			}
		})
	}
}

func BenchmarkEitherLoop(b *testing.B) {
	if testing.Short() {
		for b.Loop() {
			work()
		}
	} else {
		for b.Loop() {
			work()
		}
	}
}
