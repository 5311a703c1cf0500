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
	shifted := SelfTestTruth{Stratum: Shifted}
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
	shifted.AddRun(rows)
	if none.Runs != 2 || none.FalseRuns != 1 || more.FalseRuns != 1 || shifted.FalseRuns != 0 {
		t.Errorf("runs: %+v, %+v, %+v", none, more, shifted)
	}
	if shifted.Right+shifted.Wrong != 0 || len(shifted.Apart) != 2 {
		t.Errorf("shifted: %+v", shifted)
	}
	if none.Comparisons != 5 || none.Right != 2 || none.Wrong != 2 || none.Same != 1 || none.Covered != 2 || none.Intervals != 4 {
		t.Errorf("without a change: %+v", none)
	}
	if more.Comparisons != 5 || more.Right != 1 || more.Wrong != 1 || more.Same != 1 || more.Covered != 2 || more.Intervals != 4 {
		t.Errorf("2%% more: %+v", more)
	}
	if m := more.Misses; len(m) != 2 || m[0].Benchmark != "A" || math.Abs(m[0].By(0.02)-0.01) > 1e-12 || m[1].Benchmark != "B" || math.Abs(m[1].By(0.02)-0.03) > 1e-12 {
		t.Errorf("intervals that miss 2%%: %+v", m)
	}
	if a := more.Benchmarks["A"]; a != (SelfTestCount{3, 1, 0, 1}) {
		t.Errorf("A, 2%% more: %+v", a)
	}
	if b := none.Benchmarks["B"]; b != (SelfTestCount{2, 0, 1, 1}) {
		t.Errorf("B without a change: %+v", b)
	}
}

// TestSelfTestRate counts the shares. The interval of runs that differ by chance
// alone is the interval of the binomial distribution; runs that differ as wholes
// widen it.
func TestSelfTestRate(t *testing.T) {
	even, apart := SelfTestTruth{Runs: 40}, SelfTestTruth{Runs: 40}
	for run := range 40 {
		for row := range 10 {
			p := 0.049
			if row > 0 {
				p = 0.999
			}
			even.Fixed = append(even.Fixed, SelfTestFixed{Run: run, P: p, Logs: []float64{1, 2, -1, -1, 3}})
			if p = 0.05; run < 4 {
				p = 0.01
			}
			apart.Fixed = append(apart.Fixed, SelfTestFixed{Run: run, P: p})
		}
	}
	r := even.Rate()
	if r.Rows != 400 || r.Below != 40 || r.Tenths != [10]int{0: 40, 9: 360} || r.Positive != 1200 || r.Blocks != 2000 || r.Alike != 800 || r.Pairs != 1600 {
		t.Errorf("%+v", r)
	}
	if r.Lo != 0.1 || r.Hi != 0.1 {
		t.Errorf("every run has one in ten, and the interval is %v to %v", r.Lo, r.Hi)
	}
	// Four runs of forty: Binomial(40, 1/10) has 2.5% and 97.5% at 1 and 8.
	if r := apart.Rate(); r.Below != 40 || r.Lo != 1.0/40 || r.Hi != 8.0/40 {
		t.Errorf("whole runs: %+v, want 0.025 to 0.2", r)
	}
	if r := (SelfTestTruth{Runs: 1}).Rate(); r.Lo != 0 || r.Hi != 1 {
		t.Errorf("without rows: %+v", r)
	}
}
