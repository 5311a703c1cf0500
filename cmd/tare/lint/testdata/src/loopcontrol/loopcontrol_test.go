package loopcontrol

import (
	"errors"
	"sort"
	"testing"
)

func work() int { return 1 }

func try() error { return errors.New("no") }

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

func BenchmarkBreak(b *testing.B) {
	for i := 0; b.Loop(); i++ {
		if i > 100 {
			break // want `break out of b.Loop`
		}
		work()
	}
}

func BenchmarkReturn(b *testing.B) {
	for b.Loop() {
		if work() == 2 {
			return // want `return out of b.Loop`
		}
	}
}

func BenchmarkLabel(b *testing.B) {
out:
	for b.Loop() {
		for {
			if work() == 1 {
				break out // want `break out of b.Loop`
			}
		}
	}
}

func BenchmarkGoto(b *testing.B) {
	for b.Loop() {
		if work() == 2 {
			goto end // want `goto out of b.Loop`
		}
	}
end:
	work()
}

func BenchmarkTwice(b *testing.B) {
	for b.Loop() {
		work()
	}
	for b.Loop() { // want `a second b.Loop in one benchmark`
		work()
	}
}

func BenchmarkSizes(b *testing.B) {
	for range []int{1, 10} {
		for b.Loop() { // want `b.Loop in a loop`
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

// Near misses.

func BenchmarkError(b *testing.B) {
	for b.Loop() {
		if err := try(); err != nil {
			return
		}
		if work() == 2 {
			b.Error("two")
			break
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
