package erasedmetric

import "testing"

func work() {}

func BenchmarkBefore(b *testing.B) {
	b.ReportMetric(12, "bytes") // want `the first b.Loop erases this metric`
	for b.Loop() {
		work()
	}
}

func BenchmarkReset(b *testing.B) {
	b.ReportMetric(12, "bytes") // want `b.ResetTimer, further down, erases this metric`
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		work()
	}
}

func BenchmarkEarly(b *testing.B) {
	n := float64(b.N) // want `b.N before b.Loop has returned false`
	for b.Loop() {
		work()
	}
	b.ReportMetric(100/n, "x/op")
}

func BenchmarkInside(b *testing.B) {
	done := 0
	for b.Loop() {
		done = b.N // want `b.N before b.Loop has returned false`
	}
	b.ReportMetric(float64(done), "n")
}

// Near misses.

func BenchmarkAfter(b *testing.B) {
	for b.Loop() {
		work()
	}
	b.ReportMetric(100/float64(b.N), "x/op")
}

func BenchmarkN(b *testing.B) {
	b.ReportMetric(12, "bytes")
	for i := 0; i < b.N; i++ {
		work()
	}
}

func BenchmarkDeferred(b *testing.B) {
	defer func() { b.ReportMetric(float64(b.N), "n") }()
	b.Cleanup(func() { b.ReportMetric(float64(b.N), "n") })
	for b.Loop() {
		work()
	}
}

func BenchmarkResetFirst(b *testing.B) {
	b.ResetTimer()
	b.ReportMetric(12, "bytes")
	for i := 0; i < b.N; i++ {
		work()
	}
}
