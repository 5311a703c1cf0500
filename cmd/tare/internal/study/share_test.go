package study

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// simulatedBlocks have a known variance between blocks and within them. A block
// takes 20 ms and its rounds.
func simulatedBlocks(blocks, rounds int, round, between, within float64, seed uint64) *bench {
	r := rand.New(rand.NewPCG(seed, 3))
	b := &bench{pilot: result.Pilot{Rounds: rounds, Iterations: 100}}
	for k := range blocks {
		state := between * r.NormFloat64()
		blk := result.Block{Block: k, Seconds: 0.02 + round*float64(rounds), SliceSeconds: round * float64(rounds)}
		for i := range rounds {
			blk.Rounds = append(blk.Rounds, result.Round{At: round * float64(i), Slices: []result.Slice{
				{N: 100, Raw: 1e5}, {N: 100, Raw: 1e5 * math.Exp(state+within*r.NormFloat64())},
			}})
		}
		b.Blocks = append(b.Blocks, blk)
	}
	return b
}

// TestShare: the rounds of a block triple after the first look, if the block is not
// too long, and enough blocks must fit into the budget. Differences have no part in
// it.
func TestShare(t *testing.T) {
	for _, c := range []struct {
		name          string
		round         float64
		blocks, spent int // seconds
		budget        float64
		block         time.Duration // of a variant
		want          int
	}{
		{"before the first look", 0.0002, 7, 1, 10, 100 * time.Millisecond, 120},
		{"after it", 0.0002, 8, 1, 10, 100 * time.Millisecond, 360},
		{"long after it", 0.0002, 30, 6, 10, 100 * time.Millisecond, 360},
		{"short blocks", 0.0002, 8, 1, 10, 20 * time.Millisecond, 199},
		{"shorter ones", 0.0002, 8, 1, 10, 10 * time.Millisecond, 120},
		{"no budget", 0.0002, 15, 2, 0, 100 * time.Millisecond, 360},
		{"a small budget", 0.0002, 1, 0, 0.63, 50 * time.Millisecond, 110}, // (0.63 s / 15 - 20 ms) / 0.2 ms
		{"a smaller one", 0.0002, 1, 0, 0.1, 50 * time.Millisecond, 99},    // 20 ms / 0.2 ms
		{"long slices", 0.01, 1, 0, 0.1, 50 * time.Millisecond, leastRounds},
	} {
		for _, between := range []float64{0, 0.05} {
			r := &runner{}
			r.o.Study.Variants, r.o.Study.BudgetSeconds = make([]result.Variant, 2), c.budget
			r.size, r.design = sizing{block: c.block, rounds: lockstepMost}, judge.NewDesign(40, 0.05, 1)
			b := simulatedBlocks(c.blocks, lockstepMost, c.round, between, 0.05, 2)
			b.spent = time.Duration(c.spent) * time.Second
			if r.share(b); b.pilot.Rounds != c.want {
				t.Errorf("%s, blocks of sd %g: %d rounds, want %d", c.name, between, b.pilot.Rounds, c.want)
			}
		}
	}
}
