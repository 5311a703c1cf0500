package judge

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// The noise model of simulated machines, ported from testdata/noise/noise.py.
// An environment is the factor by which the machine is slower than at its
// best, tick by tick.

// referenceTick is the tick of the reference, in seconds: white is the sd of
// one such tick.
const referenceTick = 0.1

// draws is chance: *rand.Rand, or a known sequence for the check of the port.
type draws interface {
	NormFloat64() float64
	Float64() float64
}

// scene is a kind of machine.
type scene struct {
	name       string
	drift, tau float64 // sd and time constant (s) of an autoregressive drift
	walk       float64 // sd per √s of a random walk
	white      float64 // sd per reference tick
	hetero     float64 // factor on white in noisy spells
	burstRate  float64 // bursts per second
	burstTime  float64 // mean duration, s
	burst      float64 // median slowdown of a burst
	invocation float64 // sd of what a process keeps for its life
}

var scenes = []scene{
	{name: "quiet", drift: .002, tau: 30, white: .01, hetero: 1, burstTime: .5, invocation: .001},
	{name: "drift", drift: .02, tau: 30, white: .02, hetero: 1, burstTime: .5, invocation: .003},
	{name: "shared", drift: .02, tau: 20, white: .03, hetero: 3, burstRate: .05, burstTime: .5, burst: .4, invocation: .005},
	{name: "nasty", drift: .03, tau: 10, walk: .005, white: .04, hetero: 4, burstRate: .20, burstTime: .5, burst: .4, invocation: .010},
}

// environment draws in the order of the reference, so that the same sequence
// gives the same environment. A shorter tick has the more white noise, so that
// its mean over a reference tick has as much as there.
func (s scene) environment(ticks int, tick float64, r draws) []float64 {
	y := make([]float64, ticks)
	if s.drift > 0 {
		phi := math.Exp(-tick / s.tau)
		y[0] = r.NormFloat64() * s.drift
		r.NormFloat64() // the reference draws one innovation that it never uses
		for t := 1; t < ticks; t++ {
			y[t] = phi*y[t-1] + r.NormFloat64()*s.drift*math.Sqrt(1-phi*phi)
		}
	}
	if s.walk > 0 {
		at := 0.0
		for t := range y {
			at += r.NormFloat64() * s.walk * math.Sqrt(tick)
			y[t] += at
		}
	}
	var noisy []bool
	if s.hetero > 1 {
		noisy = spells(ticks, tick, 1./20, 1./10, r)
	}
	for t := range y {
		white := s.white * math.Sqrt(referenceTick/tick)
		if noisy != nil && noisy[t] {
			white *= s.hetero
		}
		y[t] += r.NormFloat64() * white
	}
	if s.burstRate > 0 {
		on := spells(ticks, tick, s.burstRate, 1/s.burstTime, r)
		for t := range y {
			if z := r.NormFloat64(); on[t] {
				y[t] += math.Log1p(s.burst * math.Exp(z))
			}
		}
	}
	for t := range y {
		y[t] = math.Exp(y[t])
	}
	return y
}

// spells is a two-state Markov chain with the given rates per second.
func spells(ticks int, tick, on, off float64, r draws) []bool {
	pOn, pOff := 1-math.Exp(-on*tick), 1-math.Exp(-off*tick)
	state := r.Float64() < on/(on+off)
	out := make([]bool, ticks)
	for t := range out {
		u := r.Float64()
		if state {
			state = u >= pOff
		} else {
			state = u < pOn
		}
		out[t] = state
	}
	return out
}

// known is the sequence of testdata/noise/export.py.
type known struct{ k float64 }

func (k *known) Float64() float64 {
	k.k++
	_, f := math.Modf(k.k * 0.6180339887498949)
	return f
}

func (k *known) NormFloat64() float64 { return (k.Float64() - 0.5) * 3.4641016151377544 }

func TestNoiseAgainstReference(t *testing.T) {
	data, err := os.ReadFile("testdata/noise/noise.json")
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]struct{ Env, Runs []float64 }
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	for _, s := range scenes {
		w := want[s.name]
		got := s.environment(len(w.Env), referenceTick, new(known))
		for i := range got {
			if math.Abs(got[i]/w.Env[i]-1) > 1e-9 {
				t.Errorf("%s: tick %d is %v, want %v", s.name, i, got[i], w.Env[i])
				break
			}
		}
		for i, v := range w.Runs {
			if g := mean(got[10*i : 10*i+10]); math.Abs(g/v-1) > 1e-9 {
				t.Errorf("%s: run %d takes %v, want %v", s.name, i, g, v)
				break
			}
		}
	}
}
