package judge

import (
	"math"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// TestBlind: the answers are worked out by hand from the definition.
func TestBlind(t *testing.T) {
	slow, fast := result.Key{Pkg: "p", Name: "Slow", Procs: 1}, result.Key{Pkg: "p", Name: "Fast", Procs: 1}
	rec := &result.Recording{Benchmarks: []result.Benchmark{{Key: slow}, {Key: fast}}}
	rec.Study.Delta, rec.Study.Variants = 0.02, make([]result.Variant, 2)
	half := &result.Weight{Total: 0.3, Own: 0.1}
	for _, c := range []result.ChangedFunction{
		{Variant: 1, Name: "p.Never", By: result.ByTest, Never: true, Weight: &result.Weight{Total: 0.01, Own: 0.01}},
		{Variant: 1, Name: "p.Seldom", Reached: 1, Benchmarks: []int{0}, Sampled: []result.Sampled{{Benchmark: 0, Of: 200, Changed: 150}}},
		{Variant: 1, Name: "p.F", Reached: 2, Weight: half, Sampled: []result.Sampled{
			{Benchmark: 1, Samples: 10, Of: 200, Changed: 10}, {Benchmark: 0, Samples: 100, Of: 200, Changed: 150, Allocates: true}}},
	} {
		rec.Append(result.Line{Changed: &c})
	}
	one := func(k result.Key, unit string, ratio, lo, hi float64, v result.Verdict) *row {
		return &row{BenchmarkComparison: result.BenchmarkComparison{Key: k, Unit: unit, NewVariant: 1, Change: result.Change{Ratio: ratio, Lo: lo, Hi: hi}, SE: 0.004, Verdict: v}}
	}
	rows := []*row{
		one(slow, "sec/op", 0.9, 0.9*math.Exp(-0.01), 0.9*math.Exp(0.01), result.Faster), one(slow, "allocs/op", 2, 2, 2, result.Slower),
		one(fast, "sec/op", 1, math.NaN(), math.NaN(), result.Undecided),
	}
	unknown := &result.Recording{Study: rec.Study}
	unknown.Append(result.Line{Changed: &result.ChangedFunction{Variant: 1, Unknown: "settings differ"}})
	if all := blind(unknown, nil, nil); len(all) != 1 || all[0].Unknown != "settings differ" || all[0].Functions == nil || len(all[0].Functions) != 0 {
		t.Errorf("unknown: %+v", all)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-4 {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	all := blind(rec, rows, nil)
	if len(all) != 1 || len(all[0].Functions) != 3 || all[0].Functions[0].Name != "p.F" || all[0].Functions[1].Name != "p.Never" {
		t.Fatalf("%+v", all)
	}
	b := all[0]
	f := b.Functions[0]
	if len(f.Benchmarks) != 2 || f.Benchmarks[0].Key != slow || f.Benchmarks[1].Smallest != nil || !f.Allocates || f.Samples != 400 {
		t.Fatalf("%+v", f)
	}
	// ±1% excludes 0 from 1% on, and is not inside ±2%: chance decides at 1 ± 0.8%. The
	// share is 0.4314 to 0.5686. The factors of both are combined by hand.
	near("nearly always", f.Smallest.Hi, 0.03699)
	near("hardly ever", f.Smallest.Lo, 0.00398)
	near("share from", f.Benchmarks[0].Share.Lo, 0.4314)
	near("share to", f.Benchmarks[0].Share.Hi, 0.5686)
	if g := b.Functions[2]; g.Smallest != nil || g.Samples != 200 || len(g.Benchmarks) != 0 || len(g.ReachedBy) != 1 || g.ReachedBy[0] != slow || g.Sees(1e9) || f.Sees(0.03) || !f.Sees(0.04) {
		t.Errorf("%+v", g)
	}
	// Of 100 units before, 90 are left, 67.5 in changed functions: these took 77.5.
	near("weight", b.Weight, 0.11)
	near("covered", b.Covered, 0.1)
	near("worth", b.Worth.Center, 0.1*(67.5/77.5-1))
	near("with a limit", blind(rec, rows, result.Limits{"sec/op": 0.1})[0].Functions[0].Smallest.Hi, 0.26237)
	rows[0].Delta = 0.05
	near("with a wide δ", blind(rec, rows, nil)[0].Functions[0].Smallest.Hi, 0.10074)
	rows[0].Delta = 0
	rows[0].Findings = []finding.Finding{{Severity: finding.Severe}}
	if f := blind(rec, rows, nil)[0].Functions[0]; f.Smallest != nil || f.Sees(1e9) {
		t.Errorf("a row without a verdict would have seen %+v", f)
	}
	rows[0].Findings = nil
	// A resumed study profiles again.
	rec.Append(result.Line{Changed: &result.ChangedFunction{Variant: 1, Name: "p.F", Sampled: []result.Sampled{{Benchmark: 0, Samples: 50, Of: 200, Changed: 150}}}})
	if len(rec.Changed) != 3 || len(rec.Changed[2].Sampled) != 2 {
		t.Fatalf("%+v", rec.Changed)
	}
	near("again", blind(rec, rows, nil)[0].Functions[0].Smallest.Hi, 0.07636)
}
