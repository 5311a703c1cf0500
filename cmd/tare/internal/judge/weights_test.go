package judge

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/lab"
)

// TestWeights: a block's weight comes from the spread of its rounds, and not
// from their number. The price is the number of blocks that the interval needs
// more than with the best of three weights: these, equal ones, and spread over
// the root of rounds. It is highest if the last blocks are longer.
func TestWeights(t *testing.T) {
	t.Parallel()
	const blocks, medianPerMean = 40, 1.2533
	calm := func(*rand.Rand, float64) float64 { return 1 }
	mixed := func(r *rand.Rand, times float64) float64 { return 1 + (times-1)*float64(r.IntN(2)) }
	for _, c := range []struct {
		name           string
		first, last    int // rounds
		round, between float64
		noisier        func(r *rand.Rand, times float64) float64
		allowed        float64
	}{
		{"rounds decide, four times as many in the last 25 blocks", 200, 800, 0.3, 0, calm, 1.25},
		{"processes decide, a quarter of the rounds in the last 25", 200, 48, 0.05, 0.01, calm, 1.15},
		{"processes decide, half of the blocks noisy", 200, 200, 0.01, 0.01, mixed, 1.15},
		{"rounds decide, half of the blocks noisy", 200, 200, 0.05, 0, mixed, 1.15},
		{"all alike", 200, 200, 0.1, 0.003, calm, 1.1},
	} {
		n, random := lab.Times(100, 4000), chance("weights "+c.name, 1)
		var widths, squares [3]float64
		for range n {
			center, spread, rooted := make([]float64, blocks), make([]float64, blocks), make([]float64, blocks)
			for i := range center {
				rounds := math.Sqrt(float64(c.first))
				if i >= 15 {
					rounds = math.Sqrt(float64(c.last))
				}
				s := c.round * c.noisier(random, 5)
				center[i] = c.between*random.NormFloat64() + medianPerMean*s/rounds*random.NormFloat64()
				spread[i] = s / 1.4826 * math.Exp(1.17/rounds*random.NormFloat64())
				rooted[i] = spread[i] / rounds
			}
			for k, s := range [][]float64{steady(spread), nil, steady(rooted)} {
				all, err := Single(blocks, 0.05, 1).Decide(1, Look{Center: center, Spread: s})
				if err != nil {
					t.Fatal(err)
				}
				w := all[0].Hi - all[0].Lo
				widths[k], squares[k] = widths[k]+w, squares[k]+w*w
			}
		}
		best := min(widths[1], widths[2])
		price := math.Pow(widths[0]/best, 2)
		mean := widths[0] / float64(n)
		se := 2 * math.Sqrt(squares[0]/float64(n)-mean*mean) / mean / math.Sqrt(float64(n))
		t.Logf("%s: %.3f times the blocks of the best weights (± %.3f)", c.name, price, se)
		if price > c.allowed {
			t.Errorf("%s: %.2f times the blocks of the best weights, allowed %.2f", c.name, price, c.allowed)
		}
	}
}
