package judge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// grown is a recording of benchmarks whose times are old(n) and new(n), with
// noise of 1% by block and function order, and of 1% by slice.
func grown(seed uint64, sizes []float64, old, new func(n float64) float64) *result.Recording {
	r := rand.New(rand.NewPCG(seed, 17))
	rec := &result.Recording{Study: result.Study{
		Plan:     result.Plan{Kind: "compare", Alpha: 0.05, Delta: 0.02, MaxBlocks: 40, Seed: seed},
		Variants: []result.Variant{{Label: "old"}, {Label: "new"}},
	}}
	for i, n := range sizes {
		b := result.Benchmark{Key: result.Key{Pkg: "p", Name: fmt.Sprintf("Op/n=%d", int(n)), Procs: 1}}
		for k := range 10 {
			block := result.Block{Benchmark: i, Block: k}
			common := 0.01 * r.NormFloat64()
			own := [2]float64{0.01 * r.NormFloat64(), 0.01 * r.NormFloat64()}
			for range 8 {
				round := result.Round{Order: []int{0, 1}}
				for v, f := range []func(float64) float64{old, new} {
					ns := f(n) * math.Exp(common+own[v]+0.01*r.NormFloat64())
					round.Slices = append(round.Slices, result.Slice{N: 1000, Raw: 1000 * ns})
				}
				block.Rounds = append(block.Rounds, round)
			}
			b.Blocks = append(b.Blocks, block)
		}
		rec.Benchmarks, rec.Stops = append(rec.Benchmarks, b), append(rec.Stops, result.Stop{Benchmark: i, Reason: "decided"})
	}
	return rec
}

var algorithms = []struct {
	name  string
	k     float64
	cost  func(n float64) float64
	least int // of 20 that have an exponent
}{
	{"constant", 0, func(float64) float64 { return 50 }, 15},
	{"logarithmic", 0, func(n float64) float64 { return 20 * math.Log(n) }, 15},
	{"linear", 1, func(n float64) float64 { return 2 * n }, 15},
	{"n log n", 1, func(n float64) float64 { return 3 * n * math.Log(n) }, 15},
	{"quadratic", 2, func(n float64) float64 { return n * n }, 15},
	// A table that doubles: the cost of an element depends on the last doubling.
	{"amortized", 1, func(n float64) float64 { return 2*n + math.Exp2(math.Ceil(math.Log2(n))) }, 0},
	// A fixed cost hides the growth of small sizes.
	{"linear with a fixed cost", 1, func(n float64) float64 { return 5000 + 2*n }, 0},
}

// TestExponents: an exponent is right to 0.05, or refused.
func TestExponents(t *testing.T) {
	sizes := []float64{100, 1000, 10000, 100000}
	for _, a := range algorithms {
		given, wrong := 0, 0
		for seed := range uint64(20) {
			for _, e := range Compare(grown(seed, sizes, a.cost, a.cost)).Growth[0].Sides {
				if e.Refused == "" {
					if given++; math.Abs(e.K-a.k) > 0.05 {
						wrong++
						t.Logf("%s, seed %d: exponent %.3f (log %v), want %v", a.name, seed, e.K, e.Log, a.k)
					}
				}
			}
		}
		t.Logf("%s: %d of 40 have an exponent, %d are wrong", a.name, given, wrong)
		if wrong > 0 || given < 2*a.least {
			t.Errorf("%s: %d of 40 have an exponent, %d are wrong", a.name, given, wrong)
		}
	}
}

// TestGrowthVerdict: linear to quadratic is found, a constant factor is no
// growth, and equal sides have no verdict but same and undecided.
func TestGrowthVerdict(t *testing.T) {
	sizes := []float64{100, 200, 400, 800, 1600}
	linear := func(n float64) float64 { return 2 * n }
	for _, c := range []struct {
		name    string
		new     func(n float64) float64
		verdict result.Verdict
		least   int
	}{
		{"quadratic", func(n float64) float64 { return n * n }, result.Slower, 20},
		{"a third slower", func(n float64) float64 { return 2.6 * n }, result.Same, 18},
		{"unchanged", linear, result.Same, 18},
	} {
		got := make(map[result.Verdict]int)
		for seed := range uint64(20) {
			got[Compare(grown(seed, sizes, linear, c.new)).Growth[0].Verdict]++
		}
		if got[c.verdict] < c.least || got[c.verdict]+got[result.Undecided] < 20 {
			t.Errorf("%s: %v, want %s", c.name, got, c.verdict)
		}
	}
}

// TestScalingVerdict: a lock that new takes halves its speed-up.
func TestScalingVerdict(t *testing.T) {
	procs := []float64{1, 2, 4}
	rec := grown(1, procs, func(p float64) float64 { return 1000 / p }, func(p float64) float64 { return 1000 / math.Sqrt(p) })
	for i, p := range procs {
		rec.Benchmarks[i].Key = result.Key{Pkg: "p", Name: "Op", Procs: int(p)}
	}
	found := Compare(rec)
	s := found.Scaling[0]
	if s.Verdict != result.Slower || math.Abs(s.Change.Ratio-0.5) > 0.02 {
		t.Errorf("%s, change %v", s.Verdict, s.Change)
	}
	// The speed-ups are those of the rows.
	one, four := found.Benchmarks[0], found.Benchmarks[2]
	if up := s.Sides[1].Speedup[2]; one.Unit != "sec/op" || four.Procs != 4 || up != one.New.Center/four.New.Center {
		t.Errorf("speed-up ×%v, but rows of %v and %v", up, one.New.Center, four.New.Center)
	}
	if e := s.Sides[1].Efficiency[2]; math.Abs(e-0.5) > 0.02 {
		t.Errorf("efficiency %v of 4 CPUs, want 0.5", e)
	}
}

func TestSizeOf(t *testing.T) {
	for part, want := range map[string]float64{"n=1000": 1000, "1K": 1000, "size=4KiB": 4096, "1e6": 1e6, "16": 16, "len-32": 32, "2MB": 2e6, "b64": 64} {
		if _, got, ok := sizeOf(part); !ok || got != want {
			t.Errorf("%s: %v, want %v", part, got, want)
		}
	}
	for _, part := range []string{"n=", "utf8x", "a=1,b=2", "0", "x#01", "-3"} {
		if _, got, ok := sizeOf(part); ok {
			t.Errorf("%s has the size %v", part, got)
		}
	}
}
