package judge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// predictions is the number of draws of the study's end.
const predictions = 400

// SmallestChange predicts the smallest change that a study would distinguish
// from none at the end of its budget. It uses the first blocks, which compared
// a benchmark with itself. The change is the half width of the interval of
// sec/op, as a relative change. Lo and Hi enclose nine in ten of the study's
// results if its blocks continue like the first ones. N is the number of blocks
// that the study would reach.
//
// The next blocks are drawn from the first ones, each with a random weight (the
// Bayesian bootstrap: Rubin, Annals of Statistics 9, 1981). A few blocks do not
// show their own tails, and the weights express that doubt. The interval is
// computed as in [Judge], with the same weights and critical value.
func SmallestChange(head result.Study, b result.Benchmark) (result.Estimate, error) {
	good := goodBlocks(b.Blocks, 0, 1)
	n := reached(head, b.Blocks, len(good))
	if n < MinBlocks {
		return result.Estimate{}, fmt.Errorf("at this rate the budget is enough for %d good blocks, but %d are needed", n, MinBlocks)
	}
	if len(good) < MinBlocks {
		return result.Estimate{}, fmt.Errorf("%d of %d blocks were good, but %d are needed", len(good), len(b.Blocks), MinBlocks)
	}
	both := read(good, seconds, 0, 1)
	p := pair(both[0], both[1], layouts(good, 0))
	if !p.relative {
		return result.Estimate{}, fmt.Errorf("times of %s are not positive", b.Name)
	}
	return p.smallestChange(head, n)
}

// smallestChange predicts the half width after n blocks from p, the blocks so
// far.
func (p pairing) smallestChange(head result.Study, n int) (result.Estimate, error) {
	random := rand.New(rand.NewPCG(head.Seed, uint64(len(p.typical))))
	design := NewDesign(head.MaxBlocks, head.Alpha, 1).WithEnd(n)
	design.Looks = design.Looks[:design.Reached(n)]

	critical := math.NaN()
	half := make([]float64, predictions)
	for i := range half {
		to := p.drawn(n, random)
		if i == 0 { // the critical value hardly depends on the draw
			var looks []Look
			for _, k := range design.Looks {
				looks = append(looks, to.look(k, to.typical))
			}
			d, err := design.Decide(head.Seed, looks...)
			if err != nil {
				return result.Estimate{}, fmt.Errorf("predict smallest change: %w", err)
			}
			critical = d[len(d)-1].Critical
		}
		lo, hi := to.look(n, to.typical).Bounds(critical)
		half[i] = (hi - lo) / 2
	}
	slices.Sort(half)
	at := func(share float64) float64 { return math.Expm1(half[int(share*predictions)]) }
	return result.Estimate{Center: at(0.5), Lo: at(0.05), Hi: at(0.95), N: n}, nil
}

// reached is the number of good blocks that fit into the budget, if later
// blocks take as long and as many are disturbed. The first block, which sizes
// them all, takes longer.
func reached(head result.Study, blocks []result.Block, good int) int {
	if len(blocks) < 2 || head.BudgetSeconds <= 0 {
		return head.MaxBlocks
	}
	var took []float64
	for _, b := range blocks[1:] {
		took = append(took, b.Seconds)
	}
	fit := 1 + (head.BudgetSeconds-blocks[0].Seconds)/stats.Median(took)
	return min(head.MaxBlocks, int(fit*float64(good)/float64(len(blocks))+1e-9))
}

// drawn are n blocks like the blocks of p, whose shares of the population are
// random: exponential weights, divided by their sum.
func (p pairing) drawn(n int, random *rand.Rand) pairing {
	upTo := make([]float64, len(p.typical))
	sum := 0.0
	for i := range upTo {
		sum += random.ExpFloat64()
		upTo[i] = sum
	}
	out := pairing{relative: p.relative}
	for k := range n {
		i, _ := slices.BinarySearch(upTo, sum*random.Float64())
		out.typical = append(out.typical, p.typical[i])
		out.spread = append(out.spread, p.spread[i])
		out.layout = append(out.layout, k)
	}
	return out
}
