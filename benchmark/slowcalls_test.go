//go:build !notare

package benchmark

import (
	"fmt"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/tarebench/tare"
	"github.com/tarebench/tare/clock"
)

// One slow call in 50 and in 400 on a real clock, 20 counts of each. The truth is
// the time of the same work in a row, just before. A count is disturbed where the
// share of laps longer than any operation is half of 1-q: then the quantile is
// theirs as well. It takes two minutes, on a machine that should do nothing else:
//
//	TARE_LONG=1 go test ./benchmark -run TestSlowCalls -count=1 -v
func TestSlowCalls(t *testing.T) {
	if os.Getenv("TARE_LONG") == "" {
		t.Skip("TARE_LONG=1 measures for two minutes, on a machine that should do nothing else")
	}
	const counts = 20
	perStep := timeOfSteps(100_000)
	held, intervals := 0, 0
	for _, base := range []float64{5, 20, 50, 200, 1000, 5000} {
		for _, every := range []int{50, 400} {
			q := map[int]float64{50: 0.99, 400: 0.999}[every]
			steps := max(1, int(base/perStep))
			slow := max(40*steps, int(1300/perStep))
			within, found, disturbed, off := 0, 0, 0, make([]float64, counts)
			for i := range counts {
				truth := timeOfSteps(slow) * float64(slow)
				d := distributionOfSlowCalls(t, steps, slow, every)
				got, needs := d.Quantile(q)
				if needs > 0 {
					t.Fatalf("p%v needs %d laps, there are %d", 100*q, needs, d.Laps)
				}
				off[i] = got.Value/truth - 1
				switch {
				case math.Abs(off[i]) <= 0.05:
					within++
				case len(d.Findings()) > 0:
					found++
				case longer(d, 1.2*truth) > 0.5*(1-q):
					disturbed++
				}
				intervals++
				if got.Lo <= truth && truth <= got.Hi {
					held++
				}
			}
			slices.Sort(off)
			name := fmt.Sprintf("base %v ns, one in %d slow: p%v", base, every, 100*q)
			t.Logf("%s is off by %+.1f%% (%+.1f to %+.1f%%), within 5%% in %d of %d counts; %d of the others have a finding, %d more were disturbed",
				name, 100*off[counts/2], 100*off[0], 100*off[counts-1], within, counts, found, disturbed)
			if within+found+disturbed != counts {
				t.Errorf("%s: %d of %d", name, within+found+disturbed, counts)
			}
		}
	}
	t.Logf("%d of %d intervals hold the truth", held, intervals)
}

// longer is the share of laps above a time that no operation takes: what else the
// machine did. From half of 1-q on, these are the quantile q as much as the slow
// calls are.
func longer(d tare.Distribution, nanos float64) float64 {
	n, v := int64(0), d.Corrected()
	for _, b := range v.Histogram.Buckets() {
		if v.Value(float64(b.Lo)) > nanos {
			n += b.Count
		}
	}
	return float64(n) / float64(d.Laps)
}

// distributionOfSlowCalls is that of a benchmark of 100 ms or 20,000 rounds,
// whichever takes longer.
func distributionOfSlowCalls(t *testing.T, steps, slow, every int) (d tare.Distribution) {
	times := "100ms"
	if mean := (float64(steps*(every-1)) + float64(slow)) / float64(every); mean > 5000 {
		times = "20000x"
	}
	benchtime(t, times, func(b *testing.B) {
		tb := NewB(b)
		x := chained
		for i := 0; tb.Loop(); i++ {
			if i%every == 0 {
				x = chain(x, slow)
			} else {
				x = chain(x, steps)
			}
			tb.Lap()
		}
		chained = x
		d = tb.Distribution()
	})
	return d
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

// chain takes n steps; each needs the result of the step before it.
func chain(x uint64, n int) uint64 {
	for range n {
		x = (x ^ x>>32) * 6364136223846793005
	}
	return x
}
