package judge

import (
	"math"
	"testing"

	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/unit"
)

func TestVerdict(t *testing.T) {
	delta := math.Expm1(0.02)
	for _, test := range []struct {
		lo, hi float64
		time   result.Verdict
		rate   result.Verdict
	}{
		{-0.1, -0.01, result.Faster, result.Slower},
		{0.001, 0.01, result.Slower, result.Faster},
		{-0.01, 0.015, result.Same, result.Same},
		{0, 0.02, result.Same, result.Same},
		{-0.03, 0.01, result.Undecided, result.Undecided},
		{math.Inf(-1), math.Inf(1), result.Undecided, result.Undecided},
	} {
		iv := Interval{Lo: test.lo, Hi: test.hi, Relative: true}
		if got := iv.Verdict(delta, unit.LowerIsBetter, true); got != test.time {
			t.Errorf("[%v, %v] of a time: %s, want %s", test.lo, test.hi, got, test.time)
		}
		if got := iv.Verdict(delta, unit.HigherIsBetter, true); got != test.rate {
			t.Errorf("[%v, %v] of a rate: %s, want %s", test.lo, test.hi, got, test.rate)
		}
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

func TestGateRows(t *testing.T) {
	small, large := 0.001, 0.4
	row := func(name string, v result.Verdict, lo, hi float64, holm *float64) result.BenchmarkComparison {
		return result.BenchmarkComparison{Key: result.Key{Name: name}, Unit: "sec/op", Verdict: v, PHolm: holm,
			Change: result.Change{Ratio: (lo + hi) / 2, Lo: lo, Hi: hi}}
	}
	nan := math.NaN()
	missing := row("missing", result.Undecided, nan, nan, nil)
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
		{"slower, perhaps beyond it", []result.BenchmarkComparison{row("a", result.Slower, 1.01, 1.05, &small)}, Regression},
		{"slower, but not among so many", []result.BenchmarkComparison{row("a", result.Slower, 1.03, 1.05, &large)}, Open},
		{"not significant is no pass", []result.BenchmarkComparison{row("a", result.Undecided, 0.97, 1.03, &large)}, Open},
		{"undecided between faster and same", []result.BenchmarkComparison{row("a", result.Undecided, 0.95, 1.01, &large)}, Pass},
		{"a regression outweighs what is open", []result.BenchmarkComparison{row("a", result.Undecided, 0.9, 1.1, &large), row("b", result.Slower, 1.03, 1.05, &small)}, Regression},
		{"failed", []result.BenchmarkComparison{row("a", result.Failed, nan, nan, nil)}, Open},
		{"too few blocks", []result.BenchmarkComparison{row("a", result.Undecided, nan, nan, nil)}, Open},
		{"on one side only", []result.BenchmarkComparison{row("a", result.Same, 0.99, 1.01, &large), missing}, Pass},
		{"exact", []result.BenchmarkComparison{worse}, Regression},
	} {
		if got, _ := GateRows(result.Comparison{Alpha: 0.05, Delta: 0.02, Benchmarks: test.rows}); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}

	// The rows behind it are those that regressed, else those that are open.
	rows := []result.BenchmarkComparison{row("open", result.Undecided, 0.9, 1.1, &large), row("same", result.Same, 0.99, 1.01, &large), row("slow", result.Slower, 1.03, 1.05, &small)}
	for _, test := range []struct {
		rows []result.BenchmarkComparison
		want string
	}{{rows, "slow"}, {rows[:2], "open"}, {rows[1:2], ""}} {
		names := ""
		_, behind := GateRows(result.Comparison{Alpha: 0.05, Delta: 0.02, Benchmarks: test.rows})
		for _, r := range behind {
			names += r.Name
		}
		if names != test.want {
			t.Errorf("the rows behind the gate are %q, want %q", names, test.want)
		}
	}
}
