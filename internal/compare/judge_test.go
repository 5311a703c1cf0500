package compare

import (
	"math/rand/v2"
	"testing"

	"github.com/tarebench/tare/result"
)

// study makes a recording of one benchmark: n blocks of j rounds, the new side
// theta slower (a logarithm), with noise per slice and per block.
func simulated(n, j int, theta, noise, blockNoise float64, seed uint64) *result.Recording {
	r := rand.New(rand.NewPCG(seed, 1))
	rec := &result.Recording{
		Study: result.Study{Schema: 1, Kind: "compare", Seed: seed, Alpha: 0.05, Delta: 0.02, MaxBlocks: 40,
			Variants: []result.Variant{{Label: "main"}, {Label: "."}}},
		Benchmarks: []result.Benchmark{{Key: result.Key{Pkg: "p", Name: "X", Procs: 2}, Loop: "b.N"}},
		End:        &result.End{Seconds: 1},
	}
	for k := range n {
		b := r.NormFloat64() * blockNoise
		for i := range j {
			a := 1e6 * (1 + noise*r.Float64())
			c := 1e6 * (1 + noise*r.Float64()) * (1 + theta + b)
			rec.Rounds = append(rec.Rounds, result.Round{Block: k, Round: i, Warmup: i == 0,
				Slices: []result.Slice{{N: 1000, Raw: a}, {N: 1000, Raw: c}}})
		}
		rec.Blocks = append(rec.Blocks, result.Block{Block: k, Layouts: []uint64{r.Uint64(), r.Uint64()}, Seconds: 0.2})
	}
	return rec
}

func TestJudgeStops(t *testing.T) {
	for _, test := range []struct {
		theta  float64
		blocks int
		done   bool
		reason string
		want   result.Verdict
	}{
		{0.05, 7, false, "", result.Undecided},
		{0.05, 8, true, "decided", result.Slower},
		{-0.05, 8, true, "decided", result.Faster},
		{0, 8, true, "decided", result.Same},
		{0.0005, 10, true, "decided", result.Same},
	} {
		rec := simulated(test.blocks, 20, test.theta, 0.05, 0.002, 3)
		j := Judge(rec.Study, rec.Benchmarks[0], rec.Rounds, rec.Blocks, 0, 1)
		if j.Done != test.done || j.Reason != test.reason || j.Rows[0].Verdict != test.want {
			t.Errorf("%+v: done %v %q, %+v", test, j.Done, j.Reason, j.Rows[0])
		}
	}
}

func BenchmarkJudge(b *testing.B) {
	rec := simulated(40, 30, 0, 0.3, 0.1, 3)
	for b.Loop() {
		Judge(rec.Study, rec.Benchmarks[0], rec.Rounds, rec.Blocks, 0, 1)
	}
}
