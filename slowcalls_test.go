package tare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// slowCalls is an operation of base nanoseconds. One call in every takes slow
// ones, in turn or at random. Each call is off by a few percent.
type slowCalls struct {
	base, slow float64
	every      int
	inTurn     bool
}

const spreadOfSlowCalls = 0.05 // standard deviation

func (c slowCalls) operation(r *rand.Rand) func(i int) float64 {
	phase := r.IntN(c.every)
	return func(i int) float64 {
		slow := (i+phase)%c.every == 0
		if !c.inTurn {
			slow = r.IntN(c.every) == 0
		}
		if slow {
			return c.slow * math.Exp(spreadOfSlowCalls*r.NormFloat64())
		}
		return c.base * (0.98 + 0.04*r.Float64())
	}
}

// quantile is the true one: only a part of the slow calls is above it.
func (c slowCalls) quantile(q float64) float64 {
	faster := 1 - (1-q)*float64(c.every) // of the slow calls
	return c.slow * math.Exp(spreadOfSlowCalls*math.Sqrt2*math.Erfinv(2*faster-1))
}

// One slow call in 50 is in p99, and one in 400 in p99.9, in every one of 20
// counts. The intervals contain the truth as often as they promise, for
// operations of half a step of the clock to 500 steps. The options are the
// options of benchmark.NewB. TestSlowCalls of package benchmark is the same on
// a real clock.
func TestSlowCallsOnASimulatedClock(t *testing.T) {
	t.Parallel()
	const counts = 20
	held, intervals := 0, 0
	for _, base := range []float64{5, 20, 50, 200, 1000, 5000} {
		for _, every := range []int{50, 400} {
			for _, inTurn := range []bool{true, false} {
				c := slowCalls{base: base, slow: max(40*base, 1300), every: every, inTurn: inTurn}
				q := map[int]float64{50: 0.99, 400: 0.999}[every]
				truth := c.quantile(q)
				name := fmt.Sprintf("base %v ns, one in %d slow, in turn %v: p%v", base, every, inTurn, 100*q)
				within := 0
				for count := range counts {
					r := rand.New(rand.NewPCG(uint64(count), uint64(base)))
					d := simulated(10, settings{repeat: 1, accurateMean: true}, every*250, c.operation(r))
					got := d.Quantile(q)
					if got.Needs > 0 {
						t.Errorf("%s needs %d laps, there are %d", name, got.Needs, d.N)
					}
					if math.Abs(got.Value/truth-1) <= 0.05 {
						within++
					} else {
						t.Logf("%s: %v (%v to %v), the truth is %v", name, got.Value, got.Lo, got.Hi, truth)
					}
					intervals++
					if got.Lo <= truth && truth <= got.Hi {
						held++
					}
				}
				if within != counts {
					t.Errorf("%s is within 5%% in %d of %d counts", name, within, counts)
				}
			}
		}
	}
	if held < intervals*93/100 {
		t.Errorf("%d of %d intervals contain the truth", held, intervals)
	}
	t.Logf("%d of %d intervals contain the truth", held, intervals)
}
