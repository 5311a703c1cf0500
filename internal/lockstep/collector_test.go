package lockstep

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/stats"
)

// process simulates slices of a benchmark that allocates: an operation takes
// clean nanoseconds, and every so many operations a collection takes pause
// nanoseconds, of which a part falls behind the slice.
type process struct {
	clean, pause float64
	every, done  int64
}

func (p *process) slice(n int64, speed float64, random *rand.Rand) result.Slice {
	before := p.done / p.every
	p.done += n
	s := result.Slice{N: n, Raw: float64(n) * p.clean * speed, Pauses: 1}
	if met := p.done/p.every - before; met > 0 {
		s.Collected = true
		late := random.Float64()
		s.Raw += float64(met) * p.pause * speed * (1 - late)
		s.Settle = float64(met) * p.pause * speed * late
	}
	if random.IntN(50) == 0 {
		s.Raw += 4e6 // preempted
	}
	return s
}

// TestCostHoldsCollections: the ratio of blocks is that of the mean costs,
// where a pair of short slices leaves the collections out.
func TestCostHoldsCollections(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		old, new process
	}{
		{"small heap", process{clean: 100, pause: 2e5, every: 20_000}, process{clean: 102, pause: 2e5, every: 20_000}},
		{"large heap against none", process{clean: 200, pause: 1, every: 1 << 40}, process{clean: 140, pause: 6e6, every: 40_000}},
		{"half the garbage", process{clean: 50, pause: 3e5, every: 10_000}, process{clean: 50, pause: 3e5, every: 20_000}},
	} {
		t.Run(test.name, func(t *testing.T) {
			mean := func(p process) float64 { return p.clean + p.pause/float64(p.every) }
			truth := math.Log(mean(test.new) / mean(test.old))
			var all, pairs []float64
			for seed := range uint64(40) {
				random := rand.New(rand.NewPCG(seed, 9))
				a, b := test.old, test.new
				a.done, b.done = random.Int64N(a.every), random.Int64N(b.every)
				n := int64(1000)
				var rounds []result.Round
				var logs []float64
				for range 400 {
					speed := math.Exp(0.1 * random.NormFloat64())
					x, y := a.slice(n, speed, random), b.slice(n, speed, random)
					rounds = append(rounds, result.Round{Slices: []result.Slice{x, y}})
					logs = append(logs, math.Log(y.Raw/x.Raw))
				}
				c, ok := costOf(rounds, 0, 1)
				if !ok {
					t.Fatal("no slice met the collector")
				}
				if d := math.Log(c.new.total()/c.old.total()) - c.log; math.Abs(d) > 1e-9 {
					t.Fatalf("the levels differ from the ratio by %v", d)
				}
				back, _ := costOf(rounds, 1, 0)
				if math.Abs(back.log+c.log) > 1e-12 {
					t.Fatalf("exchanged sides give %v and %v", c.log, back.log)
				}
				all, pairs = append(all, c.log), append(pairs, stats.Median(logs))
			}
			if off := stats.Median(all) - truth; math.Abs(off) > 0.03*math.Max(math.Abs(truth), 0.1) {
				t.Errorf("blocks are off by %+.4f from %+.4f", off, truth)
			}
			if test.name == "large heap against none" && (stats.Median(pairs) > 0) == (truth > 0) {
				t.Error("pairs alone have the right sign: the test shows nothing")
			}
		})
	}
}

// Slices that each hold a collection are compared whole.
func TestCostOfWholeSlices(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 1))
	a, b := process{clean: 100, pause: 1e5, every: 500}, process{clean: 100, pause: 2e5, every: 500}
	var rounds []result.Round
	for range 50 {
		rounds = append(rounds, result.Round{Slices: []result.Slice{a.slice(1000, 1, random), b.slice(1000, 1, random)}})
	}
	c, ok := costOf(rounds, 0, 1)
	if want := math.Log(500. / 300); !ok || math.Abs(c.log-want) > 0.01 {
		t.Errorf("log ratio %v, want %v", c.log, want)
	}
}

func TestCostWithoutCollections(t *testing.T) {
	t.Parallel()
	rounds := []result.Round{{Slices: []result.Slice{{N: 1, Raw: 10}, {N: 1, Raw: 20}}}}
	if _, ok := costOf(rounds, 0, 1); ok {
		t.Error("a block that met no collection has a collector's cost")
	}
}
