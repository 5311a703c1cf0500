package count

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/result"
)

// TestRowsOfARecording goes the whole way: counts to lines, to a file, back,
// and to judged rows.
func TestRowsOfARecording(t *testing.T) {
	key := result.Key{Pkg: "p", Name: "Sum", Procs: 1}
	old := Instructions{PerOp: exactly(1000), Functions: []result.FunctionCount{{Name: "p.Sum", File: "/old/sum.go", Line: 9, PerOp: 900}}}
	new := Instructions{PerOp: exactly(1100), Cycles: exactly(3000), Functions: []result.FunctionCount{{Name: "p.Sum", File: "/new/sum.go", Line: 11, PerOp: 1000}}}
	var file bytes.Buffer
	w := result.NewWriter(&file)
	lines := []result.Line{{Study: &result.Study{Schema: result.Schema, Variants: make([]result.Variant, 2)}}, {Benchmark: &result.Benchmark{Key: key}}}
	lines = append(append(lines, Lines(0, 0, old)...), Lines(0, 1, new)...)
	for _, l := range lines {
		if err := w.Write(l); err != nil {
			t.Fatal(err)
		}
	}
	rec, _, err := result.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	c := result.Comparison{Benchmarks: []result.BenchmarkComparison{{
		Key: key, Unit: "sec/op", NewVariant: 1, Verdict: result.Faster, Change: result.Change{Ratio: 0.9},
	}}}
	Compare(&c, rec, DefaultDelta)
	if len(c.Benchmarks) != 2 {
		t.Fatalf("%d rows, want time and instructions: only one side has cycles", len(c.Benchmarks))
	}
	row := c.Benchmarks[1]
	if row.Unit != UnitInstructions || row.Verdict != result.Slower || row.Change.Ratio != 1.1 || len(row.Functions) != 1 {
		t.Errorf("row %+v", row)
	}
	var said []string
	for _, f := range row.Findings {
		said = append(said, f.ID+": "+f.Message)
	}
	text := strings.Join(said, "\n")
	for _, want := range []string{"count-functions: instructions/op changed in p.Sum (sum.go:11) +100", "time-count-disagree: faster in time (-10.00 %) with more"} {
		if !strings.Contains(text, want) {
			t.Errorf("findings lack %q:\n%s", want, text)
		}
	}

	var run result.Run
	Measure(&run, rec)
	if len(run.Benchmarks) != 3 || run.Benchmarks[0].Value.Center != 1000 || !run.Benchmarks[0].Exact {
		t.Errorf("run rows %+v", run.Benchmarks)
	}
}

func TestNames(t *testing.T) {
	changes := []result.FunctionChange{{Name: "example.com/m/a.F[go.shape.int/x]", File: "x/a.go", Line: 3, Old: 1, New: 2}, {Name: "b", Old: 5}, {Name: "c", New: 1}}
	got := Names(changes, 2, func(v float64) string {
		if v > 0 {
			return "up"
		}
		return "down"
	})
	if want := "a.F[go.shape.int/x] (a.go:3) up, b down, and 1 more"; got != want {
		t.Errorf("Names = %q, want %q", got, want)
	}
}
