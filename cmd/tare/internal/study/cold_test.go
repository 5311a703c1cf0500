package study

import (
	"math/rand/v2"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TestCold: slices are made longer when waking up costs a short one more than
// 2%, and not for noise, whatever its size.
func TestCold(t *testing.T) {
	const n, perOp = 10_000, 50.0
	block := func(seed uint64, wake, noise float64) (rounds []result.Round) {
		r := rand.New(rand.NewPCG(seed, 2))
		b := bench{plan: result.Plan{Iterations: n, Rounds: 200, Long: longTimes}}
		for i := range b.plan.Rounds + 1 {
			slices := make([]result.Slice, 2)
			for v := range slices {
				n := b.iterations(i)
				raw := float64(n)*perOp + wake
				raw *= 1 + noise*r.ExpFloat64()
				slices[v] = result.Slice{N: n, Raw: raw, Pauses: 1}
			}
			rounds = append(rounds, result.Round{Slices: slices, Warmup: i == 0})
		}
		return rounds
	}
	for _, c := range []struct {
		name        string
		wake, noise float64
		want        bool
	}{
		{"nothing to pay", 0, 0.01, false},
		{"1% of a slice", 5_000, 0.01, false},
		{"4% of a slice", 20_000, 0.01, true},
		{"a tenth, in a noisy machine", 50_000, 0.1, true},
		{"nothing to pay, in a very noisy machine", 0, 1, false},
	} {
		seen := 0
		for seed := range uint64(20) {
			if cold(block(seed, c.wake, c.noise), n, 2) {
				seen++
			}
		}
		if c.want != (seen > 15) || !c.want && seen > 2 {
			t.Errorf("%s: %d of 20 blocks say that slices are too short, want %v", c.name, seen, c.want)
		}
	}
	b := bench{plan: result.Plan{Iterations: n, Rounds: 200, Long: longTimes, SliceSeconds: 0.5e-3}}
	first := block(1, 50_000, 0.01)
	b.Blocks = []result.Block{{Rounds: first}}
	if b.lengthen(first, 2); b.plan.Iterations != 2*n || b.plan.Rounds != 100 || b.plan.SliceSeconds != 1e-3 {
		t.Errorf("after a cold first block: %+v", b.plan)
	}
	if b.iterations(longFirst-1) != longTimes*2*n {
		t.Error("the block after it does not tell whether that was enough")
	}
	b.plan.SliceSeconds = 2 * longestCold
	if b.lengthen(first, 2); b.plan.Iterations != 2*n {
		t.Errorf("slices grow beyond %g s: %+v", longestCold, b.plan)
	}
}
