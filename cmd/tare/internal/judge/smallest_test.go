package judge

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// TestSmallestChange compares the prediction from the first blocks of a study
// with the half width that fresh blocks of the same kind give.
func TestSmallestChange(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	head := result.Study{Plan: result.Plan{Seed: 1, Alpha: 0.05, MaxBlocks: 40}}
	const seen, reach = 16, 36
	for _, kind := range []struct {
		name   string
		draw   func() float64
		within float64 // share inside Lo … Hi at least
		factor float64 // of the middle at most
	}{
		{"normal", func() float64 { return 0.001 * rng.NormFloat64() }, 0.8, 1.25},
		{"Student's t, 2 degrees", func() float64 { return 0.001 * rng.NormFloat64() / math.Sqrt(rng.ExpFloat64()) }, 0.8, 1.25},
		{"one in four is wild", func() float64 {
			if rng.Float64() < 0.25 {
				return 0.05 * rng.NormFloat64()
			}
			return 0.001 * rng.NormFloat64()
		}, 0.8, 3}, // at 29% the interval gives way: what is reached is itself an outlier
	} {
		if raceDetector && kind.name != "normal" {
			continue // it sees the same code, ten times slower
		}
		sample := func(n int) (p pairing) {
			p.relative = true
			for i := range n {
				p.typical = append(p.typical, kind.draw())
				p.spread = append(p.spread, 0.01)
				p.layout = append(p.layout, i)
			}
			return p
		}
		trials := 80
		if raceDetector {
			trials = 20
		}
		var factors []float64
		inside, near := 0, 0
		for range trials {
			predicted, err := sample(seen).smallestChange(head, reach)
			if err != nil {
				t.Fatal(err)
			}
			p := sample(reach)
			all := head
			all.Delta = 0 // to the last block, whatever they show
			j := judged{study: all, blocks: make([]block, reach), layout: p.layout, at: ended}
			d, ok := decidePairing(j, p)
			if !ok {
				t.Fatal("no decision")
			}
			reached := math.Expm1((d.Hi - d.Lo) / 2)
			f := predicted.Center / reached
			factors = append(factors, f)
			if f < 1.5 && f > 1/1.5 {
				near++
			}
			if predicted.Lo <= reached && reached <= predicted.Hi {
				inside++
			}
		}
		middle := stats.Median(factors)
		t.Logf("%s, from %d blocks: predicted/reached has median %.2f, %d%% within a factor of 1.5, %d%% inside the interval",
			kind.name, seen, middle, 100*near/trials, 100*inside/trials)
		if middle < 1/kind.factor || middle > kind.factor {
			t.Errorf("%s, from %d blocks: predictions are off by a factor of %.2f in the middle", kind.name, seen, middle)
		}
		if got := float64(inside) / float64(trials); got < kind.within {
			t.Errorf("%s, from %d blocks: %.0f%% inside the interval, want %.0f", kind.name, seen, 100*got, 100*kind.within)
		}
	}
}

// TestSmallestChangeRefuses: with too few good blocks, or so slow ones that
// compare would have too few, nothing is predicted. What disturbed blocks cost
// is counted.
func TestSmallestChangeRefuses(t *testing.T) {
	for _, c := range []struct {
		name              string
		blocks, disturbed int
		first, seconds    float64
		want              int // blocks that compare would have, 0 for an error
	}{
		{"40 fit into the budget", 12, 0, 0.1, 0.1, 40},
		{"the budget ends it", 12, 0, 0.4, 0.4, 25},
		{"the first takes long", 12, 0, 4, 0.4, 16},
		{"half of the blocks are spoiled", 24, 12, 0.4, 0.4, 12},
		{"too few", 7, 0, 0.1, 0.1, 0},
		{"too few are good", 20, 13, 0.1, 0.1, 0},
		{"too slow", 12, 0, 1.5, 1.5, 0},
	} {
		rec := simulated(c.blocks, 5, 0, 0.01, 0.001, 1)
		rec.Study.BudgetSeconds = 10
		for i := range rec.Benchmarks[0].Blocks {
			block := &rec.Benchmarks[0].Blocks[i]
			block.Seconds = c.seconds
			if i == 0 {
				block.Seconds = c.first
			}
			if i < c.disturbed {
				block.Disturbed = "stolen"
			}
		}
		got, err := SmallestChange(rec.Study, rec.Benchmarks[0])
		if got.N != c.want || (err != nil) != (c.want == 0) {
			t.Errorf("%s: %d blocks and %v, want %d", c.name, got.N, err, c.want)
		}
		if err == nil && !(0 < got.Lo && got.Lo < got.Center && got.Center < got.Hi && got.Hi < 0.1) {
			t.Errorf("%s: %+v is no estimate", c.name, got)
		}
	}
}
