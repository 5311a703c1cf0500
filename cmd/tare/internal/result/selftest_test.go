package result

import (
	"math"
	"testing"
)

// TestSelfTestCounts: right, wrong and neither depend on the truth.
func TestSelfTestCounts(t *testing.T) {
	row := func(name string, v Verdict, lo, hi float64) BenchmarkComparison {
		return BenchmarkComparison{Key: Key{Name: name}, Verdict: v, Change: Change{Lo: lo, Hi: hi}}
	}
	unknown := math.NaN()
	none := SelfTestTruth{Stratum: Copies}
	more := SelfTestTruth{Stratum: Changed, Change: 0.02}
	rows := []BenchmarkComparison{
		row("A", Same, 0.99, 1.01),
		row("A", Undecided, 0.9, 1.1),
		row("A", Slower, 1.01, 1.03),
		row("B", Faster, 0.9, 0.99),
		row("B", Failed, unknown, unknown),
	}
	none.AddRun(rows)
	none.AddRun(nil)
	more.AddRun(rows)
	if none.Runs != 2 || none.FalseRuns != 1 || more.FalseRuns != 1 {
		t.Errorf("runs: %+v, %+v", none, more)
	}
	if none.Comparisons != 5 || none.Right != 2 || none.Wrong != 2 || none.Same != 1 || none.Covered != 2 || none.Intervals != 4 {
		t.Errorf("without a change: %+v", none)
	}
	if more.Comparisons != 5 || more.Right != 1 || more.Wrong != 1 || more.Same != 1 || more.Covered != 2 || more.Intervals != 4 {
		t.Errorf("2%% more: %+v", more)
	}
	if a := more.Benchmarks["A"]; a != (SelfTestCount{3, 1, 0, 1}) {
		t.Errorf("A, 2%% more: %+v", a)
	}
	if b := none.Benchmarks["B"]; b != (SelfTestCount{2, 0, 1, 1}) {
		t.Errorf("B without a change: %+v", b)
	}
}
