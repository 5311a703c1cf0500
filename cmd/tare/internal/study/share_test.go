package study

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// simulatedBlocks have a known variance between blocks and within them, cost
// 20 ms each, and 0.2 ms a round.
func simulatedBlocks(blocks, rounds int, between, within float64, seed uint64) *bench {
	r := rand.New(rand.NewPCG(seed, 3))
	b := &bench{plan: result.Pilot{Rounds: rounds, Iterations: 100}}
	for k := range blocks {
		state := between * r.NormFloat64()
		blk := result.Block{Block: k, Seconds: 0.02 + 0.0002*float64(rounds), SliceSeconds: 0.0002 * float64(rounds)}
		for i := range rounds {
			blk.Rounds = append(blk.Rounds, result.Round{At: 0.0002 * float64(i), Slices: []result.Slice{
				{N: 100, Raw: 1e5}, {N: 100, Raw: 1e5 * math.Exp(state+within*r.NormFloat64())},
			}})
		}
		b.Blocks = append(b.Blocks, blk)
	}
	return b
}

func TestComponents(t *testing.T) {
	for _, c := range []struct{ between, within float64 }{{0.003, 0.01}, {0.0001, 0.02}, {0, 0}} {
		b := simulatedBlocks(200, 100, c.between, c.within, 1)
		got, ok := componentsOf(b)
		if !ok || math.Abs(got.fixed-0.02) > 1e-6 || math.Abs(got.round-0.0002) > 1e-8 {
			t.Fatalf("%+v: %+v", c, got)
		}
		// The variance of a median is π/2 times that of a mean.
		if w := math.Sqrt(got.within); math.Abs(w-1.2533*c.within) > 0.1*c.within {
			t.Errorf("%+v: within %g", c, w)
		}
		if b := math.Sqrt(got.between); math.Abs(b-c.between) > 0.25*c.between+0.1*c.within/10 {
			t.Errorf("%+v: between %g", c, b)
		}
	}
}

// TestShare: where blocks differ, their rounds become fewer; where they do
// not, more; and never more than the budget has room for.
func TestShare(t *testing.T) {
	study := func(budget, delta float64) *runner {
		r := &runner{}
		r.o.Study.Variants, r.o.Study.BudgetSeconds, r.o.Study.Delta = make([]result.Variant, 2), budget, delta
		r.size, r.design = sizingOf(r.o), judge.NewDesign(80, 0.05, 1)
		return r
	}
	for _, c := range []struct {
		name            string
		between, within float64
		budget          float64
		delta           float64
		blocks          int
		least, most     int
	}{
		{"states of processes", 0.01, 0.005, 10, 0.02, 12, fewestRounds, 60},
		{"noisy rounds", 0, 0.05, 10, 0.02, 12, 150, mostTimes * lockstepMost},
		{"no spread at all", 0, 0, 10, 0.02, 12, 150, mostTimes * lockstepMost},
		{"enough before the first look", 0, 0.05, 10, 0.02, 5, 200, 200},
		{"not enough before the first look", 0, 0.2, 10, 0.02, 5, mostTimes * lockstepMost, mostTimes * lockstepMost},
		{"any difference", 0, 0.05, 10, 0, 5, mostTimes * lockstepMost, mostTimes * lockstepMost},
		{"states of processes before the first look", 0.01, 0.005, 10, 0.02, 5, fewestRounds, 70},
		{"too few blocks to tell", 0.01, 0.005, 10, 0.02, 3, 200, 200},
		{"a small budget", 0, 0.05, 0.8, 0.02, 1, leastRounds, 180},
		{"a smaller one", 0, 0.05, 0.1, 0.02, 1, leastRounds, leastRounds},
	} {
		b := simulatedBlocks(c.blocks, 200, c.between, c.within, 2)
		if study(c.budget, c.delta).share(b); b.plan.Rounds < c.least || b.plan.Rounds > c.most {
			t.Errorf("%s: %d rounds, want %d to %d", c.name, b.plan.Rounds, c.least, c.most)
		}
	}
}

// TestStretch: blocks become longer where those that are left would not do, and
// not where no length would, or where a total divides the time.
func TestStretch(t *testing.T) {
	r := &runner{}
	r.o.Study.Variants, r.o.Study.MaxBlocks, r.o.Study.BudgetSeconds = make([]result.Variant, 2), 40, 10
	for _, test := range []struct {
		name         string
		blocks, need int
		want         float64
	}{
		{"enough are left", 11, 20, 1},
		{"unknown", 11, 0, 1},
		{"as many as are left", 20, 40, 3},
		{"twice as many", 28, 50, 4},
		{"a little", 15, 22, 29. / 25},
		{"no length will do", 20, 400, 1},
		{"none is left", 40, 60, 1},
	} {
		b := &bench{Benchmark: result.Benchmark{Blocks: make([]result.Block, test.blocks)}}
		b.decision.Needed = test.need
		if got := r.stretch(b); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s: %d blocks are there, %d needed: blocks of %.3g times the length, want %.3g", test.name, test.blocks, test.need, got, test.want)
		}
		r.o.TotalSeconds = 60
		if got := r.stretch(b); got != 1 {
			t.Errorf("%s: %.3g times within a total", test.name, got)
		}
		r.o.TotalSeconds = 0
	}
}
