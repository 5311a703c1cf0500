package judge

import (
	"math"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/unit"
)

// An interval whose joint one is half again as wide.
func about(center, half float64) Interval {
	return Interval{Center: center, Lo: center - half, Hi: center + half,
		JointLo: center - 1.5*half, JointHi: center + 1.5*half, Relative: true}
}

func TestVerdict(t *testing.T) {
	delta := math.Expm1(0.02)
	for _, test := range []struct {
		center, half float64
		alone        result.Verdict // of a time that is not proven in its family
		time, rate   result.Verdict // proven
	}{
		{-0.05, 0.04, result.Undecided, result.Faster, result.Slower},
		{0.03, 0.02, result.Undecided, result.Slower, result.Faster},
		{0.01, 0.005, result.Same, result.Same, result.Same}, // leaves 0 out, and lies within δ
		{0.012, 0.0079, result.Same, result.Same, result.Same},
		{0.012, 0.0081, result.Undecided, result.Slower, result.Faster},
		{0, 0.0199, result.Same, result.Same, result.Same},
		{0, 0.02, result.Undecided, result.Undecided, result.Undecided}, // ends at δ
		{-0.01, 0.03, result.Undecided, result.Undecided, result.Undecided},
		{0, math.Inf(1), result.Undecided, result.Undecided, result.Undecided},
		{math.NaN(), math.NaN(), result.Undecided, result.Undecided, result.Undecided},
	} {
		iv := about(test.center, test.half)
		if got := iv.Verdict(delta, unit.LowerIsBetter, false); got != test.alone {
			t.Errorf("%v ± %v alone: %s, want %s", test.center, test.half, got, test.alone)
		}
		if got := iv.Verdict(delta, unit.LowerIsBetter, true); got != test.time {
			t.Errorf("%v ± %v of a time: %s, want %s", test.center, test.half, got, test.time)
		}
		if got := iv.Verdict(delta, unit.HigherIsBetter, true); got != test.rate {
			t.Errorf("%v ± %v of a rate: %s, want %s", test.center, test.half, got, test.rate)
		}
	}
	// -delta 0 asks for any difference.
	if got := about(0.001, 0.0005).Verdict(0, unit.LowerIsBetter, true); got != result.Slower {
		t.Errorf("0.1%% slower with delta 0: %s", got)
	}
	if got := exactInterval(0, true, 8).Verdict(0, unit.LowerIsBetter, true); got != result.Same {
		t.Errorf("exactly nothing with delta 0: %s", got)
	}
}

// Under a gate measuring goes on until δ is decided; else until a verdict stands
// in the family.
func TestSettled(t *testing.T) {
	delta := math.Expm1(0.02)
	for _, test := range []struct {
		center, half    float64
		settled, gate   bool
		outcome, ofRate Gate
	}{
		{0, 0.01, true, true, Pass, Pass},
		{0.05, 0.01, true, true, Regression, Pass},
		{-0.05, 0.01, true, true, Pass, Regression},
		{0.03, 0.015, true, false, Open, Pass}, // slower, perhaps by less than δ
		{0.05, 0.025, true, false, Open, Pass}, // beyond δ alone, not in the family
		{-0.03, 0.04, false, true, Pass, Open}, // could be faster or not: no regression
		{0.05, 0.04, false, false, Open, Pass}, // slower alone
		{0, math.Inf(1), false, false, Open, Open},
	} {
		iv := about(test.center, test.half)
		if got := iv.settled(delta, unit.LowerIsBetter, false); got != test.settled {
			t.Errorf("%v ± %v: settled %v", test.center, test.half, got)
		}
		if got := iv.settled(delta, unit.LowerIsBetter, true); got != test.gate {
			t.Errorf("%v ± %v under a gate: settled %v", test.center, test.half, got)
		}
		if got := iv.Gate(delta, unit.LowerIsBetter); got != test.outcome {
			t.Errorf("%v ± %v: gate %s, want %s", test.center, test.half, got, test.outcome)
		}
		if got := iv.Gate(delta, unit.HigherIsBetter); got != test.ofRate {
			t.Errorf("%v ± %v of a rate: gate %s, want %s", test.center, test.half, got, test.ofRate)
		}
	}
}

// The rows of a unit are a family. What the adjustment takes back is no verdict.
func TestDecideFamilies(t *testing.T) {
	row := func(name, unit string, p, ratio, half float64) result.BenchmarkComparison {
		v := result.Undecided
		if half < 0 {
			v, half = result.Same, -half
		}
		return result.BenchmarkComparison{Key: result.Key{Name: name}, Unit: unit, P: &p, Verdict: v,
			Change: result.Change{Ratio: ratio, Lo: ratio - half, Hi: ratio + half}}
	}
	rows := []result.BenchmarkComparison{
		row("a", "sec/op", 0.001, 1.1, 0.02),
		row("a", "B/op", 0.03, 1.1, 0.02),
		row("b", "sec/op", 0.02, 1.1, 0.05),
		row("c", "sec/op", 0.5, 1, -0.01),
		row("d", "sec/op", 0.001, 1.001, -0.0005),
	}
	Decide(rows, 0.05, 0.02, nil)
	for i, want := range []struct {
		verdict  result.Verdict
		holm     float64
		findings int
	}{
		{result.Slower, 0.004, 0}, {result.Slower, 0.03, 0},
		{result.Slower, 0.04, 0}, {result.Same, 0.5, 0}, {result.Same, 0.004, 0},
	} {
		r := rows[i]
		if r.Verdict != want.verdict || math.Abs(*r.PHolm-want.holm) > 1e-12 || len(r.Findings) != want.findings {
			t.Errorf("%s %s: %s, Holm %v, %v, want %+v", r.Name, r.Unit, r.Verdict, *r.PHolm, r.Findings, want)
		}
	}
	rows = append(rows, row("e", "sec/op", 0.04, 1.2, 0.1))
	Decide(rows, 0.05, 0.02, nil)
	last := rows[len(rows)-1]
	if last.Verdict != result.Undecided || len(last.Findings) != 1 || !catalog.NotAfterAdjustment.Is(last.Findings[0]) ||
		last.Findings[0].Message != "significant alone (p=0.04), not after adjustment for 5 benchmarks" {
		t.Errorf("different alone only: %s, %+v", last.Verdict, last.Findings)
	}
}

func TestNeeded(t *testing.T) {
	for _, test := range []struct {
		center, half float64
		blocks, want int
	}{
		{0, 0.04, 40, 160},     // n·(h/x)²
		{0.01, 0.02, 40, 160},  // to 0, or to the end of ±x: as far
		{0.05, 0.06, 20, 29},   // to 0
		{0, math.Inf(1), 8, 0}, // unknown
	} {
		iv := Interval{Center: test.center, Lo: test.center - test.half, Hi: test.center + test.half, Relative: true}
		if got := iv.Needed(math.Expm1(0.02), float64(test.blocks)); got != test.want {
			t.Errorf("%+v: %d", test, got)
		}
	}
}

func TestGateOf(t *testing.T) {
	small, large := 0.001, 0.4
	row := func(name string, v result.Verdict, lo, hi float64, holm *float64) result.BenchmarkComparison {
		joint := &result.Interval{Lo: lo - 0.005, Hi: hi + 0.005}
		if holm == &large || holm == nil {
			joint = nil // wider than anyone asks
		}
		return result.BenchmarkComparison{Key: result.Key{Name: name}, Unit: "sec/op", Verdict: v, PHolm: holm,
			Change: result.Change{Ratio: (lo + hi) / 2, Lo: lo, Hi: hi}, Joint: joint}
	}
	nan := math.NaN()
	missing := row("missing", result.Undecided, nan, nan, nil)
	missing.Old.Center = nan
	missing.Verdict = result.Missing
	worse := row("allocs", result.Slower, 1.5, 1.5, nil)
	worse.Exact = true
	for _, test := range []struct {
		name string
		rows []result.BenchmarkComparison
		want Gate
	}{
		{"nothing", nil, Open},
		{"faster and same", []result.BenchmarkComparison{row("a", result.Faster, 0.9, 0.95, &small), row("b", result.Same, 0.99, 1.01, &large)}, Pass},
		{"slower within the tolerance", []result.BenchmarkComparison{row("a", result.Slower, 1.001, 1.015, &small)}, Pass},
		{"slower beyond it", []result.BenchmarkComparison{row("a", result.Slower, 1.03, 1.05, &small)}, Regression},
		{"slower, perhaps beyond it", []result.BenchmarkComparison{row("a", result.Slower, 1.01, 1.05, &small)}, Open},
		{"slower beyond it, not in the family", []result.BenchmarkComparison{row("a", result.Slower, 1.022, 1.05, &small)}, Open},
		{"slower, but not among so many", []result.BenchmarkComparison{row("a", result.Slower, 1.03, 1.05, &large)}, Open},
		{"not significant is no pass", []result.BenchmarkComparison{row("a", result.Undecided, 0.97, 1.03, &large)}, Open},
		{"undecided between faster and same", []result.BenchmarkComparison{row("a", result.Undecided, 0.95, 1.01, &large)}, Pass},
		{"a regression outweighs what is open", []result.BenchmarkComparison{row("a", result.Undecided, 0.9, 1.1, &large), row("b", result.Slower, 1.03, 1.05, &small)}, Regression},
		{"failed", []result.BenchmarkComparison{row("a", result.Failed, nan, nan, nil)}, Open},
		{"too few blocks", []result.BenchmarkComparison{row("a", result.Undecided, nan, nan, nil)}, Open},
		{"on one side only", []result.BenchmarkComparison{row("a", result.Same, 0.99, 1.01, &large), missing}, Pass},
		{"exact", []result.BenchmarkComparison{worse}, Regression},
	} {
		Decide(test.rows, 0.05, 0.02, nil)
		if got := GateOf(&result.Comparison{Alpha: 0.05, Delta: 0.02, Benchmarks: test.rows}).Gate; got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}

	// The rows are those that regressed, else those that are open.
	rows := []result.BenchmarkComparison{row("open", result.Undecided, 0.9, 1.1, &large), row("same", result.Same, 0.99, 1.01, &large), row("slow", result.Slower, 1.03, 1.05, &small)}
	for _, test := range []struct {
		rows []result.BenchmarkComparison
		want string
	}{{rows, "slow"}, {rows[:2], "open"}, {rows[1:2], ""}} {
		names := ""
		Decide(test.rows, 0.05, 0.02, nil)
		for _, r := range GateOf(&result.Comparison{Alpha: 0.05, Delta: 0.02, Benchmarks: test.rows}).Rows {
			names += r.Name
		}
		if names != test.want {
			t.Errorf("the rows behind the gate are %q, want %q", names, test.want)
		}
	}
}
