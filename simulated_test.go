package tare

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tarebench/tare/clock"
)

// simulated runs operations on a clock that steps by step, and returns the
// laps. Every lap takes 60 ticks more than its operations.
func simulated(step float64, settings settings, operations int, operation func(i int) float64) Distribution {
	l := laps{target: int64(operations), settings: settings, deadline: math.MaxInt64}
	l.overhead = overhead{timebase: timebase{nanosPerTick: 1, resolution: step}, lap: clock.Cost{Lo: 60, Typical: 60, Hi: 60}}
	l.started = true
	l.useOverhead()
	l.startAgain()
	now := 1e6
	show := func() int64 { return int64(math.Floor(now/step) * step) }
	l.last = show()
	for i := range operations {
		now += operation(i)
		if l.left > 0 {
			l.left--
			continue
		}
		now += 60
		l.now = show()
		if !endLap(&l) {
			break
		}
		l.last = l.now // flush read a real clock
	}
	l.finish()
	return l.distribution()
}

// One slow call in 50 and one in 400 are in the right quantiles, and the mean
// is right, even if the batches and the slow calls have a common period.
func TestMeanAndTailOnASimulatedClock(t *testing.T) {
	for _, every := range []int{50, 256, 400} {
		for _, base := range []float64{5, 33, 200, 5000} {
			slow := base*40 + 1
			d := simulated(10, settings{repeat: 1, accurateMean: true}, 400_000, func(i int) float64 {
				if i%every == 0 {
					return slow
				}
				return base
			})
			share := 1 / float64(every)
			// The slow calls among the batches vary in number.
			within := 4 * (slow - base) * math.Sqrt(share/350_000)
			if got, want := d.Mean().Value, base+(slow-base)*share; math.Abs(got-want) > within+0.002*want {
				t.Errorf("base %v, one in %d: mean %v, want %v", base, every, got, want)
			}
			if short := base < 1000; (d.Batched > 0) != short || short && float64(d.Batched) < 0.8*400_000 {
				t.Errorf("base %v, one in %d: %d laps and %d operations in batches", base, every, d.N, d.Batched)
			}
			q := d.Quantile(1 - share/2)
			if math.Abs(q.Value/slow-1) > 0.05 && len(d.Findings()) == 0 {
				t.Errorf("base %v, one in %d: p%v is %v, want %v", base, every, 100*(1-share/2), q.Value, slow)
			}
			if q.Lo > slow || q.Hi < slow*0.99 {
				t.Errorf("base %v, one in %d: %v to %v does not contain %v", base, every, q.Lo, q.Hi, slow)
			}
		}
	}
}

// An interval contains its quantile as often as it promises, even if the step
// of the clock is longer than the operation.
func TestIntervalsIncludeTheStep(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const draws, spread = 400, 0.3
	for _, median := range []float64{3, 5, 8.65, 25, 50, 70, 200, 400, 1000, 5000} {
		for _, q := range []float64{0.5, 0.9} {
			truth := median * math.Exp(spread*math.Sqrt2*math.Erfinv(2*q-1))
			held := 0
			for range draws {
				d := simulated(10, settings{repeat: 1}, 200, func(int) float64 {
					return median * math.Exp(spread*r.NormFloat64())
				})
				if got := d.Quantile(q); got.Lo <= truth && truth <= got.Hi {
					held++
				}
			}
			if held < draws*93/100 {
				t.Errorf("the interval of p%v of operations with a median of %v ns contains it in %d of %d draws", 100*q, median, held, draws)
			}
		}
	}
}

// A pause ends the batches, and no lap is counted twice or is of the wrong kind.
func TestPauseEndsBatches(t *testing.T) {
	b := NewBenchmark(60_000, AccurateMean(), Monotonic())
	calls := 0
	for b.Next() {
		if calls++; calls > 40_000 && calls%3 == 0 {
			b.Pause()
			b.Resume()
		}
	}
	d := b.Distribution()
	if d.Batched != 0 || calls != 60_000 || d.N < 19_000 {
		t.Errorf("%d calls, %d laps, %d in batches", calls, d.N, d.Batched)
	}
}
