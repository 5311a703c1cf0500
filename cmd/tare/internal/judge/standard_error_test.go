package judge

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// The standard error of a center is the one over many studies, of one machine or
// of two. The interval of a verdict claims up to twice as much.
func TestStandardErrorOfTheCenter(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 4))
	for _, n := range []int{6, 8, 11, 20, 40} {
		for _, machines := range []int{1, 2} {
			var claimed, centers []float64
			for range 2000 {
				l := Look{Center: make([]float64, n)}
				for i := range l.Center {
					l.Center[i] = random.NormFloat64()
					if machines > 1 {
						l.Strata = append(l.Strata, i%machines)
					}
				}
				claimed, centers = append(claimed, l.standardError()), append(centers, l.Median())
			}
			sum := 0.0
			for _, c := range centers {
				sum += c * c / float64(len(centers))
			}
			slices.Sort(claimed)
			if ratio := stats.Median(claimed) / math.Sqrt(sum); ratio < 0.85 || ratio > 1.15 {
				t.Errorf("%d blocks of %d machines: the standard error claimed is %.2f of the true one", n, machines, ratio)
			} else {
				t.Logf("%d blocks of %d machines: %.2f", n, machines, ratio)
			}
		}
	}
	if se := (Look{Center: []float64{1, 1, 1}}).standardError(); se != 0 {
		t.Errorf("of constants: %v", se)
	}
}
