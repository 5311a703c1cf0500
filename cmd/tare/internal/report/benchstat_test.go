package report

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

func estimate(v, spread float64) result.Estimate {
	return result.Estimate{Center: v, Lo: v * (1 - spread), Hi: v * (1 + spread), N: 8}
}

// A comparison has benchstat's table with tare's verdicts: a change that is not
// shown is "~", one within δ whose interval leaves 0 out is shown.
func TestBenchstat(t *testing.T) {
	p, large := 0.004, 0.3
	row := func(name string, old, ratio float64, v result.Verdict, p *float64) result.BenchmarkComparison {
		return result.BenchmarkComparison{
			Key: result.Key{Pkg: "example.com/m", Name: name, Procs: 2}, Unit: "sec/op", NewVariant: 1, PHolm: p, Verdict: v, Blocks: 8,
			Old: estimate(old, 0.02), New: estimate(old*ratio, 0.03), Change: result.Change{Ratio: ratio, Lo: ratio - 0.004, Hi: ratio + 0.004},
		}
	}
	code := row("Hash", 1e-6, 1, result.Same, nil)
	code.Reason, code.Old, code.New = result.ReasonSameCode, result.Estimate{}, result.Estimate{}
	c := result.Comparison{
		Variants: []result.Variant{{Label: "main"}, {Label: "."}}, Alpha: 0.05, Delta: 0.02,
		Benchmarks: []result.BenchmarkComparison{
			row("Join", 10e-6, 0.5, result.Faster, &p), row("Slow", 1e-6, 1.25, result.Slower, &p),
			row("Small", 2e-6, 1.01, result.Same, &p), row("None", 2e-6, 1.001, result.Undecided, &large), code,
		},
		GeoMeans: []result.GeoMean{{Unit: "sec/op", NewVariant: 1, Old: 2e-6, New: 1e-6, N: 4, Change: result.Change{Ratio: 0.5, Lo: 0.49, Hi: 0.51}}},
	}
	var b strings.Builder
	if err := Benchstat(&b, Document{Comparison: &c}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"pkg: example.com/m\n", "vs base",
		"\nJoin-2     10.000µ ± 2%    5.000µ ± 3%  -50.00% (p=0.004 n=8) [-50.40 … -49.60%]\n",
		"+25.00% (p=0.004 n=8) [+24.60 … +25.40%]", "+1.00% (p=0.004 n=8) [+0.60 … +1.40%]", "~ (p=0.300 n=8) [-0.30 … +0.50%]", "~ (same code)",
		"\ngeomean     2.000µ         1.000µ       -50.00% [-51.0 … -49.0%]\n",
		"\ntare: medians of n runs, ",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
