package selftest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

// simulatedRun is a run over equal benchmarks at δ = 0. If doubled, the judge gets
// every block twice, as evidence of its own.
func simulatedRun(r *rand.Rand, benchmarks int, doubled bool) []result.BenchmarkComparison {
	study := result.Study{Plan: comparison(".", session.Host{}, r.Uint64()).Plan, Family: benchmarks, Variants: []result.Variant{{Label: "."}, {Label: "."}}}
	study.Delta = 0
	rec := &result.Recording{Study: study, End: &result.End{}}
	for i := range benchmarks {
		b := result.Benchmark{Key: result.Key{Pkg: "p", Name: fmt.Sprint(i), Procs: 1}}
		stop := result.Stop{Benchmark: i, Reason: "blocks"}
		for len(b.Blocks) < study.MaxBlocks {
			block := result.Block{Benchmark: i, FuncOrders: []uint64{r.Uint64(), r.Uint64()}}
			change := 0.002 * r.NormFloat64()
			for range 2 {
				slice := func(more float64) result.Slice { return result.Slice{N: 100, Raw: 1e5 * (1 + more)} }
				block.Rounds = append(block.Rounds, result.Round{Slices: []result.Slice{slice(0), slice(change)}})
			}
			b.Blocks = append(b.Blocks, block)
			if doubled {
				b.Blocks = append(b.Blocks, block)
			}
			if judge.Due(study, b) && judge.Judge(study, b, 0, 1).Done {
				stop.Reason = "decided"
				break
			}
		}
		rec.Benchmarks, rec.Stops = append(rec.Benchmarks, b), append(rec.Stops, stop)
	}
	return judge.Compare(rec).Benchmarks
}

// TestBrokenJudgeFails: ten runs of 24 equal benchmarks find a judge that counts
// every block twice, since no row is the same at δ = 0. The judge as it is passes.
func TestBrokenJudgeFails(t *testing.T) {
	t.Parallel()
	for _, doubled := range []bool{false, true} {
		test := result.SelfTest{Alpha: session.DefaultAlpha, Truths: []result.SelfTestTruth{{Stratum: result.Copies}}}
		for seed := range uint64(10) {
			test.Truths[0].AddRun(simulatedRun(rand.New(rand.NewPCG(seed, 5)), 24, doubled))
		}
		e := test.Errors()
		t.Logf("blocks counted twice: %v: %d of %d runs with a false verdict, %d of %d intervals miss", doubled, e.FalseRuns, e.Runs, e.Intervals-e.Covered, e.Intervals)
		if e.Broken != doubled {
			t.Errorf("blocks counted twice: %v, broken: %v", doubled, e.Broken)
		}
	}
}
