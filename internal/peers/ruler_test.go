package peers

import (
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tarebench/tare"
	"github.com/tarebench/tare/clock"
)

var sink uint64

const a = 6364136223846793005

// eight is eight multiplications, each waiting for the one before. It is
// inlined: a call would be part of the operation. The compiler turns a chain
// of plain multiplications into one, hence the shifts.
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

// middle is the mean of the middle half: a lap in which the machine did
// something else is not in it, and the clock's steps average out.
func middle(laps []float64) float64 {
	slices.Sort(laps)
	laps = laps[len(laps)/4 : len(laps)-len(laps)/4]
	sum := 0.0
	for _, l := range laps {
		sum += l
	}
	return sum / float64(len(laps))
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

// whole times one long chain, several times, per multiplication.
func whole() float64 {
	// From two lengths, so that the clock's weight is in neither.
	const short, long = 8_000, 40_000
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
	for range 60 {
		shorts, longs = append(shorts, once(short)), append(longs, once(long))
	}
	return (median(longs) - median(shorts)) / (long - short)
}

// TestRuler holds laps of known length against the same code timed whole.
func TestRuler(t *testing.T) {
	for name, option := range map[string]tare.Option{"default clock": tare.Repeat(1), "monotonic": tare.Monotonic()} {
		var intercepts, slopes []float64
		for range 5 {
			var ks, laps []float64
			truth := whole()
			for k := 8; k <= 4096; k *= 2 {
				b := tare.NewBenchmark(1000, tare.Repeat(1), tare.KeepLaps(1000), option)
				x, eights := sink, k/8
				for b.Next() {
					for range eights {
						x = eight(x)
					}
				}
				sink = x
				ks, laps = append(ks, float64(k)), append(laps, middle(b.Laps()))
			}
			truth = (truth + whole()) / 2
			// The intercept from the short chains, on which a percent of
			// the long ones would drown it.
			a, _ := line(ks[:5], laps[:5])
			_, s := line(ks, laps)
			intercepts, slopes = append(intercepts, a), append(slopes, s/truth-1)
		}
		t.Logf("%s: intercept %.2f ns, slope %+.2f %% of the chain timed whole (medians of 5)", name, median(intercepts), 100*median(slopes))
		t.Logf("  intercepts %.2f slopes %.4f", intercepts, slopes)
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

// TestPausedAdds is system A: k atomic adds between a resume and a pause,
// against the same adds without.
func TestPausedAdds(t *testing.T) {
	t.Logf("%7s %10s %10s %8s", "k", "truth", "paused", "off")
	for k := 1; k <= 100_000; k *= 10 {
		var offs, truths, values []float64
		for range 7 {
			var x atomic.Int64
			const repeat = 16
			n := max(20, min(1000, 2_000_000/k/repeat))
			b := tare.NewBenchmark(n, tare.Repeat(repeat), tare.KeepLaps(n))
			for b.Next() {
				b.Pause()
				time.Now() // set-up
				b.Resume()
				adds(&x, k)
			}
			// The truth: the same adds without a pause, a lap of them and a
			// lap of twice as many, so that the clock's weight is in neither.
			var one, two []float64
			for range n {
				for i, all := range []*[]float64{&one, &two} {
					start := clock.Now()
					for range repeat * (i + 1) {
						adds(&x, k)
					}
					*all = append(*all, float64(clock.Now()-start)/repeat)
				}
			}
			value, truth := middle(b.Laps()), middle(two)-middle(one)
			truths, values, offs = append(truths, truth), append(values, value), append(offs, value-truth)
		}
		t.Logf("%7d %7.2f ns %7.2f ns %+.2f ns %+.2f %%", k, median(truths), median(values), median(offs), 100*median(offs)/median(truths))
	}
}

// adds is one piece of code for both sides: where it lies in memory decides
// about as much as what is asked here.
//
//go:noinline
func adds(x *atomic.Int64, k int) {
	for range k {
		x.Add(1)
	}
}

func TestEmptyLap(t *testing.T) {
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
			q, _ := d.Quantile(0.5)
			reports, raws = append(reports, d.Mean().Value), append(raws, q.Value)
		}
		t.Logf("%s: wall time of an empty lap %.1f ns; one read of Now %.1f, of Cycles %.1f; an empty lap reports mean %.2f ns, p50 %.2f ns", name, lap, now, cycles, median(reports), median(raws))
	}
}
