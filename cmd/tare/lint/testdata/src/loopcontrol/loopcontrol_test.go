package loopcontrol

import (
	"sort"
	"testing"
)

func work() int { return 1 }

var values = []int{3, 2, 1}

func BenchmarkCount(b *testing.B) {
	for b.Loop() {
		for i := 0; i < b.N; i++ { // want `b.N inside b.Loop is 0`
			work()
		}
	}
}

func BenchmarkRange(b *testing.B) {
	for b.Loop() {
		for range b.N { // want `b.N inside b.Loop is 0`
			work()
		}
	}
}

func BenchmarkTwice(b *testing.B) {
	for b.Loop() {
		work()
	}
	b.StartTimer()
	for b.Loop() { // want `a second b.Loop after b.StartTimer`
		work()
	}
}

func BenchmarkSizes(b *testing.B) {
	for range []int{1, 10} {
		b.StartTimer()
		for b.Loop() { // want `a second b.Loop after b.StartTimer`
			work()
		}
	}
}

func BenchmarkMetric(b *testing.B) {
	b.ReportMetric(3, "rows") // want `b.ReportMetric before b.Loop`
	for b.Loop() {
		work()
	}
}

func BenchmarkStep(b *testing.B) {
	for i := 0; i < b.N; i += 2 { // want `the counter grows by more than 1`
		work()
	}
}

func BenchmarkContinue(b *testing.B) {
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		list := append([]int(nil), values...)
		if i%2 == 0 {
			continue // want `continue with the timer stopped`
		}
		b.StartTimer()
		sort.Ints(list)
	}
}

func BenchmarkContinueLabel(b *testing.B) {
next:
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		list := append([]int(nil), values...)
		for range list {
			if i%2 == 0 {
				continue next // want `continue with the timer stopped`
			}
		}
		b.StartTimer()
		sort.Ints(list)
	}
}

// Near misses.

// Package testing fails the next three by itself.
func BenchmarkBreak(b *testing.B) {
	for b.Loop() {
		if work() == 2 {
			break
		}
	}
}

func BenchmarkSecond(b *testing.B) {
	for b.Loop() {
		work()
	}
	for b.Loop() {
		work()
	}
}

func BenchmarkLoops(b *testing.B) {
	for range []int{1, 10} {
		for b.Loop() {
			work()
		}
	}
}

func BenchmarkStart(b *testing.B) {
	b.StopTimer()
	work()
	b.StartTimer()
	for b.Loop() {
		work()
	}
}

func BenchmarkFirst(b *testing.B) {
	for _, v := range values {
		b.StartTimer()
		for b.Loop() {
			work()
		}
		if v > 0 {
			return
		}
	}
}

func BenchmarkInner(b *testing.B) {
	for b.Loop() {
		for i := 0; ; i++ {
			if i > 10 {
				break
			}
			switch work() {
			case 1:
				break
			}
		}
		func() int { return work() }()
	}
	b.ReportMetric(float64(b.N), "rows")
}

func BenchmarkEither(b *testing.B) {
	if len(values) > 2 {
		for b.Loop() {
			work()
		}
	} else {
		for b.Loop() {
			work()
		}
	}
}

func BenchmarkSub(b *testing.B) {
	for range []int{1, 10} {
		b.Run("x", func(b *testing.B) {
			for b.Loop() {
				work()
			}
		})
	}
}

func BenchmarkPairs(b *testing.B) {
	for i := 0; i < b.N; i += 2 {
		work()
		work()
	}
}

func BenchmarkBatch(b *testing.B) {
	for i := 0; i < b.N; i += 1000 {
		work()
	}
}

func BenchmarkStarted(b *testing.B) {
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		list := append([]int(nil), values...)
		b.StartTimer()
		if i%2 == 0 {
			continue
		}
		sort.Ints(list)
	}
}
