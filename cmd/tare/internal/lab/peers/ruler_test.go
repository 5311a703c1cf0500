package peers

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare"
	"github.com/tarebench/tare/clock"
)

var sink uint64

const a = 6364136223846793005

// eight is eight multiplications. Each needs the result of the previous one. It
// is inlined, because a call would be part of the operation. The compiler turns
// a chain of plain multiplications into one, hence the shifts.
func eight(x uint64) uint64 {
	x = (x ^ x>>32) * a
	x = (x ^ x>>32) * a
	x = (x ^ x>>32) * a
	x = (x ^ x>>32) * a
	x = (x ^ x>>32) * a
	x = (x ^ x>>32) * a
	x = (x ^ x>>32) * a
	return (x ^ x>>32) * a
}

// calm is the mean of the values near their median. It excludes laps in which
// the machine did other work. It is a mean, because only a mean averages the
// clock's steps. It cuts by distance, because cutting off a share of values of
// 20 or 30 ns moves the mean by nanoseconds.
func calm(v []float64) float64 { return near(v, 0.02*median(v)) }

func near(v []float64, within float64) float64 {
	m := median(v)
	within += 100
	sum, n := 0.0, 0.0
	for _, x := range v {
		if math.Abs(x-m) <= within {
			sum, n = sum+x, n+1
		}
	}
	return sum / n
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

// whole times a long chain, per multiplication.
func whole(rounds int) float64 {
	// Two lengths, so that the clock's overhead cancels.
	const short, long = 4_096, 12_288
	once := func(k int) float64 {
		x := sink
		start := clock.Now()
		for range k / 8 {
			x = eight(x)
		}
		nanos := float64(clock.Now() - start)
		sink = x
		return nanos
	}
	var shorts, longs []float64
	for range rounds {
		shorts, longs = append(shorts, once(short)), append(longs, once(long))
	}
	return (calm(longs) - calm(shorts)) / (long - short)
}

// BenchmarkRuler compares laps of known length with the same code timed as a
// whole. The two alternate, so that both run at the same CPU speeds.
func BenchmarkRuler(b *testing.B) {
	for _, clocks := range []struct {
		name    string
		options []tare.Option
	}{
		{"default clock", []tare.Option{tare.Repeat(1)}},
		{"monotonic", []tare.Option{tare.Repeat(1), tare.Monotonic()}},
		{"monotonic, unfenced", []tare.Option{tare.Repeat(1), tare.Monotonic(), tare.Unfenced()}},
		{"default clock, paused", []tare.Option{tare.Repeat(1)}},
		{"default clock, paused for 48 chains", []tare.Option{tare.Repeat(1)}},
		{"monotonic, paused for 48 chains", []tare.Option{tare.Repeat(1), tare.Monotonic()}},
	} {
		paused, setUp := strings.Contains(clocks.name, "paused"), 0
		if strings.HasSuffix(clocks.name, "chains") {
			setUp = 48
		}
		var intercepts, slopes []float64
		for range 15 {
			var ks, laps, truths []float64
			for k := 8; k <= 4096; k *= 2 {
				n := min(2000, 800_000/k)
				b := tare.NewBenchmark(n, append(clocks.options, tare.KeepLaps(n))...)
				x, eights := sink, k/8
				for b.Next() {
					if paused {
						b.Pause()
						for range setUp {
							x = eight(x)
						}
						b.Resume()
					}
					for range eights {
						x = eight(x)
					}
				}
				sink = x
				ks, laps = append(ks, float64(k)), append(laps, calm(b.LapNanos()))
				truths = append(truths, whole(40))
			}
			truth := median(truths)
			// Take the intercept from the short chains. A percent of the long
			// ones would hide it.
			a, _ := line(ks[:5], laps[:5])
			_, s := line(ks, laps)
			intercepts, slopes = append(intercepts, a), append(slopes, s/truth-1)
		}
		b.Logf("%s: intercept %.2f ns, slope %+.2f%% of the chain timed whole (medians of 15)", clocks.name, median(intercepts), 100*median(slopes))
		b.Logf("  intercepts %.2f slopes %.4f", intercepts, slopes)
	}
}

func line(x, y []float64) (intercept, slope float64) {
	var n, sx, sy, sxx, sxy float64
	for i := range x {
		n, sx, sy, sxx, sxy = n+1, sx+x[i], sy+y[i], sxx+x[i]*x[i], sxy+x[i]*y[i]
	}
	slope = (n*sxy - sx*sy) / (n*sxx - sx*sx)
	return (sy - slope*sx) / n, slope
}

func BenchmarkEmptyLap(b *testing.B) {
	for name, options := range map[string][]tare.Option{"default": {tare.Repeat(1)}, "monotonic": {tare.Repeat(1), tare.Monotonic()}} {
		now, cycles := math.Inf(1), math.Inf(1)
		lap := math.Inf(1)
		var reports, raws []float64
		for range 9 {
			c := clock.Calibrate()
			now = min(now, c.Read.Typical)
			if c, _, err := clock.CalibrateCycles(); err == nil {
				cycles = min(cycles, c.Read.Typical)
			}
			const n = 200_000
			b := tare.NewBenchmark(n, options...)
			b.Next()
			start := clock.Now()
			for i := 0; i < n/2; i++ {
				b.Next()
			}
			lap = min(lap, float64(clock.Now()-start)/(n/2))
			d := b.Distribution()
			q := d.Quantile(0.5)
			reports, raws = append(reports, d.Mean().Value), append(raws, q.Value)
		}
		b.Logf("%s: wall time of an empty lap %.1f ns; one read of Now %.1f, of Cycles %.1f; an empty lap reports mean %.2f ns, p50 %.2f ns", name, lap, now, cycles, median(reports), median(raws))
	}
}
