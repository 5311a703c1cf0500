package report

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/explain"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

func TestExplainText(t *testing.T) {
	var out strings.Builder
	e := explain.Explained{Benchmarks: []explain.Explanation{{
		Key: result.Key{Name: "Work"}, Change: result.Change{Ratio: 1.08, Lo: 1.07, Hi: 1.09}, Verdict: result.Slower,
		Causes: []explain.Cause{{Kind: explain.Collector, OldAmount: 0.1, NewAmount: 0.2, Bytes: 48.0003, Objects: 3.0001}},
	}}}
	if err := ExplainText(&out, e, Options{Width: 60}); err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(out.String(), "\n")
	if want := "  suspected: the garbage collector takes 20% of the CPU\n    time, not 10%, +48 B/op in +3 objects\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
