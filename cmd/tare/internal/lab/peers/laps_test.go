package peers

import (
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/loov/hrtime"

	"github.com/tarebench/tare"
	"github.com/tarebench/tare/clock"
	"github.com/tarebench/tare/histogram"
	"github.com/tarebench/tare/internal/ticks"
)

// costs times one call of each f, as the minimum of many short bursts: other
// work of the machine only adds. The bursts alternate, so that all run at the
// same CPU speeds.
func costs(n int, fs ...func(n int)) []float64 {
	best := slices.Repeat([]float64{math.Inf(1)}, len(fs))
	for range bursts {
		for i, f := range fs {
			start := clock.Now()
			f(n)
			best[i] = min(best[i], float64(clock.Now()-start)/float64(n))
		}
	}
	return best
}

const bursts = 500

// BenchmarkCosts prints the cost of every call, next to its peers.
func BenchmarkCosts(b *testing.B) {
	const n = 1000
	laps := func(options ...tare.Option) func(int) {
		b := tare.NewBenchmark(math.MaxInt, append(options, tare.Repeat(1))...)
		b.Next()
		return func(n int) {
			for range n {
				b.Next()
			}
		}
	}
	hr, hrTSC := hrtime.NewBenchmark((bursts+1)*n), hrtime.NewBenchmarkTSC((bursts+1)*n)
	watch, hrWatch := tare.NewStopwatch(0), hrtime.NewStopwatch((bursts+1)*n)
	c := costs(n,
		func(n int) {
			for range n {
				clock.Now()
			}
		},
		func(n int) {
			for range n {
				clock.Cycles()
			}
		},
		laps(),
		laps(tare.Monotonic()),
		func(n int) {
			for range n {
				hr.Next()
			}
		},
		func(n int) {
			for range n {
				hrTSC.Next()
			}
		},
		func(n int) {
			for range n {
				watch.Stop(watch.Start())
			}
		},
		func(n int) {
			for range n {
				hrWatch.Stop(hrWatch.Start())
			}
		},
		func(n int) {
			for range n {
				ticks.Fence()
				clock.Now()
				ticks.Fence()
			}
		},
		laps(tare.Monotonic(), tare.Unfenced()),
		func(n int) {
			for range n {
				clock.Now()
				ticks.Fence()
			}
		})
	now, cycles := c[0], c[1]
	b.Logf("a read: Now %.1f ns, Cycles %.1f ns", now, cycles)
	b.Logf("an empty lap: tare %.1f (%.2f × Cycles), monotonic %.1f (%.2f × Now), hrtime %.1f, hrtime TSC %.1f ns",
		c[2], c[2]/cycles, c[3], c[3]/now, c[4], c[5])
	b.Logf("Now between two fences, which is the least that a lap on it can cost: %.1f ns (%.2f × Now); with one fence %.1f ns (%.2f × Now)", c[8], c[8]/now, c[10], c[10]/now)
	b.Logf("an empty lap, monotonic and unfenced: %.1f ns (%.2f × Now)", c[9], c[9]/now)
	b.Logf("start and stop: tare %.1f ns (%.2f × two reads of Now), hrtime %.1f ns", c[6], c[6]/(2*now), c[7])

	values := latencies()
	h, fine := histogram.New(), threeDigits(b)
	hdr2, hdr3 := hdrhistogram.New(1, int64(time.Hour), 2), hdrhistogram.New(1, int64(time.Hour), 3)
	c = costs(len(values),
		func(n int) {
			x := int64(0)
			for i := range n {
				x += values[i]
			}
			sink += uint64(x)
		},
		func(n int) {
			for i := range n {
				h.Record(values[i])
			}
		},
		func(n int) {
			for i := range n {
				fine.Record(values[i])
			}
		},
		func(int) { h.RecordAll(values[:]) },
		func(n int) {
			for i := range n {
				_ = hdr2.RecordValue(values[i])
			}
		},
		func(n int) {
			for i := range n {
				_ = hdr3.RecordValue(values[i])
			}
		})
	b.Logf("recording a value, with %.2f ns for the loop around it: at 1%% tare %.2f ns, in bulk as laps do %.2f ns, hdrhistogram-go %.2f ns; at 0.1%% tare %.2f ns, hdrhistogram-go %.2f ns",
		c[0], c[1], c[3], c[4], c[2], c[5])
}

// BenchmarkMemory prints the memory of five million laps.
func BenchmarkMemory(b *testing.B) {
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
	b.Logf("%d laps: tare %.2f MB, hrtime %.0f MB", laps, ours, theirs)
}

// BenchmarkStopwatch runs with -cpu 1,2,4. The cost on a core is constant if
// ns/op times the number of cores is.
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
