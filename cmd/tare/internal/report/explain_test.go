package report

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/explain"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TestExplainText checks how each verdict on a cause reads.
func TestExplainText(t *testing.T) {
	proof := func(flip explain.Flip, verdict explain.Role, part float64) *explain.Proof {
		return &explain.Proof{Flip: flip, Explained: part, Lo: part - 0.02, Hi: part + 0.02, Of: 0.08, Verdict: verdict, Cause: verdict == explain.Proved}
	}
	collector := func(p *explain.Proof) explain.Cause {
		return explain.Cause{Kind: explain.Collector, OldAmount: 0.1, NewAmount: 0.2, Proof: p}
	}
	file := *proof(explain.OldFile, explain.Proved, 0.09)
	file.File = "work.go"
	for _, test := range []struct {
		cause explain.Cause
		want  string
	}{
		{collector(nil), "  suspected: the garbage collector takes 20% of the CPU time, not 10%"},
		{collector(proof(explain.NoCollector, explain.Proved, 0.075)), `  proved: the garbage collector takes 20% of the CPU time, not 10%
    with GOGC=off in both variants: accounts for +7.5% of +8.0% (+5.5 … +9.5%)`},
		{collector(proof(explain.NoCollector, explain.InPart, 0.03)), `  proved in part: the garbage collector takes 20% of the CPU time, not 10%
    with GOGC=off in both variants: accounts for +3.0% of +8.0% (+1.0 … +5.0%)`},
		{collector(proof(explain.NoCollector, explain.NotCause, 0.001)), `  not the cause: the garbage collector takes 20% of the CPU time, not 10%
    with GOGC=off in both variants: accounts for +0.1% of +8.0% (-1.9 … +2.1%)`},
		{collector(proof(explain.NoCollector, explain.Unclear, 0.03)), `  suspected: the garbage collector takes 20% of the CPU time, not 10%
    with GOGC=off in both variants: accounts for +3.0% of +8.0% (+1.0 … +5.0%), undecided`},
		{collector(proof(explain.NoCollector, explain.Excess, 0.3)), `  suspected: the garbage collector takes 20% of the CPU time, not 10%
    with GOGC=off in both variants: accounts for +30.0% of +8.0% (+28.0 … +32.0%), more than the whole: it also removes something else, and proves nothing`},
	} {
		var out strings.Builder
		e := explain.Explained{Benchmarks: []explain.Explanation{{
			Key: result.Key{Name: "Work"}, Change: result.Change{Ratio: 1.08, Lo: 1.07, Hi: 1.09}, Verdict: result.Slower,
			Causes: []explain.Cause{test.cause}, Files: []explain.Proof{file},
		}}}
		if err := ExplainText(&out, e); err != nil {
			t.Fatal(err)
		}
		_, got, _ := strings.Cut(out.String(), "\n")
		if want := test.want + "\n  proved: the change of work.go accounts for +9.0% of +8.0% (+7.0 … +11.0%)\n"; got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}
