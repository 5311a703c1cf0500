package peers

import (
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/loov/hrtime"

	"github.com/tarebench/tare"
	"github.com/tarebench/tare/clock"
	"github.com/tarebench/tare/histogram"
)

// least returns the time of one call of f(n) by n, the least of many short
// bursts that take turns with nobody: what else the machine does only adds.
func least(n int, f func(n int)) float64 {
	best := math.Inf(1)
	for range 300 {
		start := clock.Now()
		f(n)
		best = min(best, float64(clock.Now()-start)/float64(n))
	}
	return best
}

// TestCosts prints what every call costs, side by side with its peers.
func TestCosts(t *testing.T) {
	const n = 2000
	now := least(n, func(n int) {
		for range n {
			clock.Now()
		}
	})
	cycles := least(n, func(n int) {
		for range n {
			clock.Cycles()
		}
	})
	lap := func(options ...tare.Option) float64 {
		b := tare.NewBenchmark(math.MaxInt, append(options, tare.Repeat(1))...)
		b.Next()
		return least(n, func(n int) {
			for range n {
				b.Next()
			}
		})
	}
	default_, monotonic := lap(), lap(tare.Monotonic())
	hr := hrtime.NewBenchmark(301 * n)
	hr.Next()
	hrLap := least(n, func(n int) {
		for range n {
			hr.Next()
		}
	})
	hrTSC := hrtime.NewBenchmarkTSC(301 * n)
	hrTSC.Next()
	hrTSCLap := least(n, func(n int) {
		for range n {
			hrTSC.Next()
		}
	})
	t.Logf("a read: Now %.1f ns, Cycles %.1f ns", now, cycles)
	t.Logf("an empty lap: tare %.1f (%.2f × Cycles), monotonic %.1f (%.2f × Now), hrtime %.1f, hrtime TSC %.1f ns",
		default_, default_/cycles, monotonic, monotonic/now, hrLap, hrTSCLap)

	watch := tare.NewStopwatch(0)
	pair := least(n, func(n int) {
		for range n {
			watch.Stop(watch.Start())
		}
	})
	hrWatch := hrtime.NewStopwatch(301 * n)
	hrPair := least(n, func(n int) {
		for range n {
			hrWatch.Stop(hrWatch.Start())
		}
	})
	t.Logf("start and stop: tare %.1f ns (%.2f × two reads of Now), hrtime %.1f ns", pair, pair/(2*now), hrPair)

	values := latencies()
	h, hdr := histogram.New(), hdrhistogram.New(1, int64(time.Hour), 3)
	record := least(len(values), func(n int) {
		for i := range n {
			h.Record(values[i])
		}
	})
	bulk := least(len(values), func(int) { h.RecordAll(values[:]) })
	hdrRecord := least(len(values), func(n int) {
		for i := range n {
			_ = hdr.RecordValue(values[i])
		}
	})
	t.Logf("recording a value: tare %.2f ns, in bulk as laps do %.2f ns, hdrhistogram-go %.2f ns", record, bulk, hdrRecord)
}

// TestMemory prints what five million laps take.
func TestMemory(t *testing.T) {
	const laps = 5_000_000
	allocated := func(f func()) float64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc-before.TotalAlloc) / 1e6
	}
	ours := allocated(func() {
		b := tare.NewBenchmark(laps, tare.Repeat(1))
		for b.Next() {
		}
		_ = b.Distribution()
	})
	theirs := allocated(func() {
		b := hrtime.NewBenchmark(laps)
		for b.Next() {
		}
		_ = b.Histogram(10)
	})
	t.Logf("%d laps: tare %.2f MB, hrtime %.0f MB", laps, ours, theirs)
}

// BenchmarkStopwatch is run with -cpu 1,2,4: the cost on a core stays flat
// when ns/op times the number of cores does.
func BenchmarkStopwatch(b *testing.B) {
	b.Run("of=tare", func(b *testing.B) {
		s := tare.NewStopwatch(0)
		b.ResetTimer()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				s.Stop(s.Start())
			}
		})
	})
	b.Run("of=hrtime", func(b *testing.B) {
		s := hrtime.NewStopwatch(b.N)
		b.ResetTimer()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				s.Stop(s.Start())
			}
		})
	})
}
