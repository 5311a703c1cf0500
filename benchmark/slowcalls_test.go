//go:build lab && !notare

package benchmark

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/tarebench/tare"
	"github.com/tarebench/tare/clock"
)

// One slow call in 50 and one in 400 on a real clock, 20 counts of each. The
// truth comes from the count itself: every slow call is timed a second time,
// inside its lap, because the speed of a machine changes by a percent from one
// count to the next. It takes a minute, on an otherwise idle machine:
// next. It takes a minute, on a machine that should do nothing else:
//
//	go test -tags lab ./benchmark -run TestSlowCalls -count=1 -v
//
// A count is disturbed if the share of laps longer than any operation is half
// of 1-q. These laps then determine the quantile too.
func TestSlowCalls(t *testing.T) {
	const counts = 20
	perStep := timeOfSteps(100_000)
	held, intervals := 0, 0
	for _, base := range []float64{5, 20, 50, 200, 1000, 5000} {
		for _, every := range []int{50, 400} {
			q := map[int]float64{50: 0.99, 400: 0.999}[every]
			within, found, disturbed, inside, off, width := 0, 0, 0, 0, make([]float64, counts), make([]float64, counts)
			for i := range counts {
				c := newSlowCalls(t, base, every, perStep)
				d := c.distribution(t)
				got := d.Quantile(q)
				if got.Needs > 0 {
					t.Fatalf("p%v needs %d laps, there are %d", 100*q, got.Needs, d.N)
				}
				far := 1.2 * c.quantile(0.5)
				// At the top are disturbed laps, then slow calls.
				slower := (1 - q - longer(d, far)) * float64(every)
				truth := c.quantile((1 - slower) * c.shareBelow(far))
				off[i], width[i] = got.Value/truth-1, (got.Hi-got.Lo)/truth
				switch {
				case math.Abs(off[i]) <= 0.05:
					within++
				case len(d.Findings()) > 0:
					found++
				case longer(d, far) > 0.5*(1-q):
					disturbed++
				}
				intervals++
				if got.Lo <= truth && truth <= got.Hi {
					inside++
				} else {
					t.Logf("base %v, one in %d: %.0f to %.0f ns, the truth is %.0f (%.1f of it around the inner interval), %.3f%% of the laps are longer",
						base, every, got.Lo, got.Hi, truth, c.around, 100*longer(d, far))
				}
			}
			held += inside
			slices.Sort(off)
			slices.Sort(width)
			name := fmt.Sprintf("base %v ns, one in %d slow: p%v", base, every, 100*q)
			t.Logf("%s is off by %+.1f%% (%+.1f to %+.1f%%), within 5%% in %d of %d counts; %d of the others have a finding, %d more were disturbed; %d intervals contain the truth, %.1f%% wide",
				name, 100*off[counts/2], 100*off[0], 100*off[counts-1], within, counts, found, disturbed, inside, 100*width[counts/2])
			if within+found+disturbed != counts {
				t.Errorf("%s: %d of %d", name, within+found+disturbed, counts)
			}
		}
	}
	t.Logf("%d of %d intervals contain the truth", held, intervals)
	if held < intervals*93/100 {
		t.Errorf("%d of %d intervals contain the truth", held, intervals)
	}
}

// slowCalls is an operation with one slow call in every. It times its slow
// calls.
type slowCalls struct {
	every, steps, slow int
	i                  int
	x                  uint64
	inner              []int64 // times of slow calls, in ticks
	rate               clock.Rate
	step               float64 // of the clock, in ticks
	around             float64 // ns of a slow call outside its inner interval
}

func newSlowCalls(t *testing.T, base float64, every int, perStep float64) *slowCalls {
	calibration, rate, err := clock.CalibrateCycles()
	if err != nil {
		t.Skip(err)
	}
	c := &slowCalls{every: every, steps: max(1, int(base/perStep)), x: 1, rate: rate, step: calibration.Resolution / rate.NanosPerTick}
	c.slow = max(40*c.steps, int(1300/perStep))
	c.inner = make([]int64, 1<<20)
	clear(c.inner) // once, and not in each call
	c.inner = c.inner[:0]
	c.measureAround(calibration.Overhead.Typical)
	return c
}

// call is the operation.
func (c *slowCalls) call() {
	if c.i++; c.i%c.every != 0 {
		c.x = chain(c.x, c.steps)
		return
	}
	start := clock.Cycles()
	c.x = chain(c.x, c.slow)
	c.inner = append(c.inner, clock.Cycles()-start)
}

// measureAround measures the time of a slow call outside its inner interval, as
// a median over slow calls among the others.
func (c *slowCalls) measureAround(empty float64) {
	var around []float64
	for begin := time.Now(); len(around) < 20 || time.Since(begin) < 30*time.Millisecond; {
		slow := len(c.inner)
		start := clock.Cycles()
		c.call()
		whole := clock.Cycles() - start
		if len(c.inner) > slow {
			around = append(around, c.rate.Nanos(whole-c.inner[slow])-empty)
		}
	}
	slices.Sort(around)
	body := around[len(around)/4 : len(around)-len(around)/4]
	for _, v := range body {
		c.around += v / float64(len(body))
	}
	c.inner = c.inner[:0]
}

// distribution is the distribution of a benchmark of 100 ms or 20,000
// iterations, whichever takes longer.
func (c *slowCalls) distribution(t *testing.T) (d tare.Distribution) {
	times := "100ms"
	if mean := (float64(c.steps*(c.every-1)) + float64(c.slow)) / float64(c.every); mean > 5000 {
		times = "20000x"
	}
	benchtime(t, times, func(b *testing.B) {
		c.inner = c.inner[:0]
		tb := NewB(b)
		for tb.Loop() {
			c.call()
			tb.Lap()
		}
		d = tb.Distribution()
	})
	slices.Sort(c.inner)
	return d
}

// quantile is the quantile of all slow calls. If times are equal because the
// clock has a step, the rank among them gives the position within the step.
func (c *slowCalls) quantile(q float64) float64 {
	rank := q * float64(len(c.inner))
	v := c.inner[min(len(c.inner)-1, max(0, int(rank)))]
	below, _ := slices.BinarySearch(c.inner, v-int64(c.step/2))
	upTo, _ := slices.BinarySearch(c.inner, v+int64(c.step/2)+1)
	share := (rank - float64(below)) / float64(upTo-below)
	return (float64(v)+(share-0.5)*c.step)*c.rate.NanosPerTick + c.around
}

// shareBelow is the share of slow calls that take less than nanos.
func (c *slowCalls) shareBelow(nanos float64) float64 {
	n, _ := slices.BinarySearch(c.inner, int64((nanos-c.around)/c.rate.NanosPerTick))
	return float64(n) / float64(len(c.inner))
}

// longer is the share of laps above a time that no operation takes: the other
// work of the machine. From half of 1-q on, these laps determine the quantile q
// as much as the slow calls.
func longer(d tare.Distribution, nanos float64) float64 {
	n, v := int64(0), d.Corrected()
	for _, b := range v.Buckets() {
		if b.Lo > nanos {
			n += b.Count
		}
	}
	return float64(n) / float64(d.N)
}

// timeOfSteps is the median time of one of n steps in a row, in nanoseconds.
func timeOfSteps(n int) float64 {
	rounds := make([]float64, 0, 1000)
	for begin := time.Now(); len(rounds) < 100 || len(rounds) < cap(rounds) && time.Since(begin) < 20*time.Millisecond; {
		start := clock.Now()
		x := chained
		for range 4 {
			x = chain(x, n)
		}
		chained = x
		rounds = append(rounds, float64(clock.Now()-start)/float64(4*n))
	}
	slices.Sort(rounds)
	return rounds[len(rounds)/2]
}

var chained uint64 = 1

// chain takes n steps. Each needs the result of the previous one.
func chain(x uint64, n int) uint64 {
	for range n {
		x = (x ^ x>>32) * 6364136223846793005
	}
	return x
}
