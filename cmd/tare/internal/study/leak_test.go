package study

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/lab"
)

// TestRoundsDoNotLeakSigns: the differences of past blocks choose the rounds of
// the next one, so the magnitude of a block depends on the signs before it. No
// rule may turn that into verdicts: the shipped one, and one within its bounds
// that lengthens blocks while the sum of ranks is far from the middle. Nothing
// changed in these studies.
func TestRoundsDoNotLeakSigns(t *testing.T) {
	t.Parallel()
	const alpha, blocks, within = 0.05, 40, 0.2
	n := lab.Times(20, 4000)
	design := judge.NewDesign(blocks, alpha, 1)
	for _, c := range []struct {
		name  string
		state func(*rand.Rand) float64
		rule  func(d []float64, last int) int
	}{
		{"no state of blocks", func(*rand.Rand) float64 { return 0 }, shippedRounds},
		{"blocks of sd 1%", func(r *rand.Rand) float64 { return 0.01 * r.NormFloat64() }, shippedRounds},
		{"two states of 2%", func(r *rand.Rand) float64 { return 0.02 * float64(2*r.IntN(2)-1) }, shippedRounds},
		{"one block in four moved by up to 6%", func(r *rand.Rand) float64 {
			if r.IntN(4) > 0 {
				return 0
			}
			return 0.06 * (2*r.Float64() - 1)
		}, shippedRounds},
		{"the worst rule", func(*rand.Rand) float64 { return 0 }, worstRounds},
	} {
		called := 0
		for seed := range uint64(n) {
			random := rand.New(rand.NewPCG(seed+1, 991))
			d, rounds := []float64(nil), lockstepMost
			for len(d) < blocks {
				d = append(d, c.state(random)+medianPerMean*within/math.Sqrt(float64(rounds))*random.NormFloat64())
				if len(d) >= leastShared {
					rounds = c.rule(d, rounds)
				}
			}
			if calledDifferent(t, design, seed+1, d) {
				called++
			}
		}
		share, se := float64(called)/float64(n), math.Sqrt(alpha*(1-alpha)/float64(n))
		t.Logf("%s: called different %.2f%% of %d (± %.2f)", c.name, 100*share, n, 100*se)
		if share > alpha+0.004+4*se {
			t.Errorf("%s: called different %.2f%%, allowed 5.4%%", c.name, 100*share)
		}
	}
}

const medianPerMean = 1.2533

// shippedRounds are the rounds of the next block by the differences so far.
func shippedRounds(d []float64, last int) int {
	const within, first = 1.5708 * 0.2 * 0.2, 8
	of := deviation(d)
	c := components{within: within, between: max(0, of*of-within/float64(last)), fixed: 0.02, round: 0.0002}
	n := c.rounds()
	if len(d) < first {
		n = min(n, c.enough(0.02/precise, first))
	}
	return n
}

// worstRounds takes few rounds until the sum of signed ranks is far from its
// middle, and many from there on.
func worstRounds(d []float64, _ int) int {
	sum, n := 0.0, float64(len(d))
	for _, x := range d {
		rank := 0.0
		for _, y := range d {
			if math.Abs(y) <= math.Abs(x) {
				rank++
			}
		}
		sum += math.Copysign(rank, x)
	}
	if math.Abs(sum) > math.Sqrt(n*(n+1)*(2*n+1)/6) {
		return mostTimes * lockstepMost
	}
	return fewestRounds
}

// calledDifferent judges the differences of blocks at each look.
func calledDifferent(t *testing.T, design judge.Design, seed uint64, d []float64) bool {
	var looks []judge.Look
	for _, n := range design.Looks {
		looks = append(looks, judge.Look{Center: d[:n]})
	}
	all, err := design.Decide(seed, looks...)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range all {
		if o.Excludes(0) {
			return true
		}
	}
	return false
}
