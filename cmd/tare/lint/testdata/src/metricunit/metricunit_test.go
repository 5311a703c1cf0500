package metricunit

import (
	"sync/atomic"
	"testing"
)

func work() int { return 1 }

func BenchmarkSum(b *testing.B) {
	n := 0
	for i := 0; i < b.N; i++ {
		n += work()
	}
	b.ReportMetric(float64(n), "items/op") // want `n is a total over all iterations`
}

func BenchmarkScaled(b *testing.B) {
	n := 0
	for b.Loop() {
		n++
	}
	bytes := 8 * n
	b.ReportMetric(float64(bytes), "B/op") // want `n is a total over all iterations`
}

func BenchmarkAtomic(b *testing.B) {
	var n atomic.Int64
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			n.Add(int64(work()))
		}
	})
	b.ReportMetric(float64(n.Load()), "items/op") // want `n is a total over all iterations`
}

// Near misses.

func BenchmarkDivided(b *testing.B) {
	n := 0
	for i := 0; i < b.N; i++ {
		n += work()
	}
	b.ReportMetric(float64(n)/float64(b.N), "items/op")
	b.ReportMetric(float64(n), "items")
}

func BenchmarkDividedBefore(b *testing.B) {
	n := 0.0
	for i := 0; i < b.N; i++ {
		n += float64(work())
	}
	n /= float64(b.N)
	b.ReportMetric(n, "items/op")
}

func BenchmarkLast(b *testing.B) {
	n := 0
	for b.Loop() {
		n = work()
	}
	b.ReportMetric(float64(n), "items/op")
}
