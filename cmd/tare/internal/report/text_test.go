package report

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/test/golden"
	"github.com/tarebench/tare/internal/finding"
)

func share(v float64) *float64 { return &v }

func sampleComparison() *result.Comparison {
	nan := math.NaN()
	key := func(name string) result.Key { return result.Key{Pkg: "example.com/codec", Name: name, Procs: 8} }
	return &result.Comparison{
		Variants: []result.Variant{{Label: "main"}, {Label: "."}},
		Alpha:    0.05, Delta: 0.02,
		Config: map[string]string{"goos": "linux", "goarch": "amd64", "cpu": "AMD EPYC"},
		Benchmarks: []result.BenchmarkComparison{
			{Key: key("Encode/json"), Unit: "sec/op", NewVariant: 1, Old: result.Estimate{Center: 1.718e-6, Lo: 1.70e-6, Hi: 1.73e-6, N: 12}, New: result.Estimate{Center: 1.423e-6, Lo: 1.41e-6, Hi: 1.431e-6, N: 12},
				Change: result.Change{Ratio: 0.828, Lo: 0.821, Hi: 0.834}, P: share(0.00024), PHolm: share(0.0007), Verdict: result.Faster, Rounds: 300, Blocks: 12, Seconds: 1.93, OldBytes: 898, NewBytes: 898},
			{Key: key("Encode/gob"), Unit: "sec/op", NewVariant: 1, Old: result.Estimate{Center: 3.0655e-6, Lo: 3.06e-6, Hi: 3.07e-6, N: 8}, New: result.Estimate{Center: 3.070e-6, Lo: 3.061e-6, Hi: 3.11e-6, N: 8},
				Change: result.Change{Ratio: 1.0014, Lo: 0.9971, Hi: 1.0122}, P: share(0.446), PHolm: share(0.446), Verdict: result.Same, Rounds: 200, Blocks: 8, Seconds: 1.2},
			{Key: key("Encode/xml"), Unit: "sec/op", NewVariant: 1, Old: result.Estimate{Center: 0.03154, Lo: 0.0308, Hi: 0.0332, N: 40}, New: result.Estimate{Center: 0.0319, Lo: 0.0309, Hi: 0.0351, N: 40},
				Change: result.Change{Ratio: 1.011, Lo: 0.988, Hi: 1.034}, P: share(0.21), PHolm: share(0.28), Verdict: result.Undecided, Needed: 110, Rounds: 1000, Blocks: 40, Seconds: 10.2,
				Findings: []finding.Finding{{ID: "unstable", Severity: finding.Warning, Subject: "Encode/xml-8", Message: "blocks differ by 4.1% of their median", Action: "run tare doctor"}}},
			{Key: key("Encode/csv"), Unit: "sec/op", NewVariant: 1, Old: result.Estimate{Center: 12.3e-9, Lo: 12.2e-9, Hi: 12.4e-9, N: 20}, New: result.Estimate{Center: 12.4e-9, Lo: 12.35e-9, Hi: 12.5e-9, N: 20},
				Change: result.Change{Ratio: 1.0081, Lo: 1.003, Hi: 1.013}, P: share(0.012), PHolm: share(0.024), Verdict: result.Slower, Rounds: 500, Blocks: 20, Seconds: 4},
			{Key: key("Encode/json"), Unit: "allocs/op", NewVariant: 1, Old: result.Estimate{Center: 5, Lo: 5, Hi: 5, N: 12}, New: result.Estimate{Center: 4, Lo: 4, Hi: 4, N: 12},
				Change: result.Change{Ratio: 0.8, Lo: 0.8, Hi: 0.8}, Exact: true, Verdict: result.Faster, Blocks: 12, Seconds: 1.93},
			{Key: key("Encode/gob"), Unit: "allocs/op", NewVariant: 1, Old: result.Estimate{Center: 0, Lo: 0, Hi: 0, N: 8}, New: result.Estimate{Center: 0, Lo: 0, Hi: 0, N: 8},
				Change: result.Change{Ratio: nan, Lo: nan, Hi: nan, Difference: &result.Estimate{}}, Exact: true, Verdict: result.Same, Blocks: 8, Seconds: 1.2},
			{Key: key("Encode/xml"), Unit: "allocs/op", NewVariant: 1, Old: result.Estimate{Center: 0, Lo: 0, Hi: 0, N: 8}, New: result.Estimate{Center: 2, Lo: 2, Hi: 2, N: 8},
				Change: result.Change{Ratio: nan, Lo: nan, Hi: nan, Difference: &result.Estimate{Center: 2, Lo: 2, Hi: 2}}, Exact: true, Verdict: result.Slower, Blocks: 8, Seconds: 1.2},
			{Key: key("Encode/evil\x1b[31m\u202e|<b>"), Unit: "B/op", NewVariant: 1, Old: result.Estimate{Center: 4096, Lo: nan, Hi: nan, N: 3}, New: result.Estimate{Center: 8192, Lo: nan, Hi: nan, N: 3},
				Change: result.Change{Ratio: 2, Lo: nan, Hi: nan}, P: share(0.1), Verdict: result.Undecided, Needed: 4},
		},
		GeoMeans: []result.GeoMean{{Unit: "sec/op", NewVariant: 1, Old: 1.1e-6, New: 1.05e-6, Change: result.Change{Ratio: 0.957, Lo: 0.951, Hi: 0.964}, N: 4}},
		Summary:  result.Summary{Faster: 1, Slower: 1, Same: 1, Undecided: 1},
		Findings: []finding.Finding{{ID: "sequential-blocks", Severity: finding.Info, Message: "all old runs were taken before all new ones, so p assumes an undisturbed machine", Action: "use tare compare"}},
		Folder:   ".tare/20260101-120000",
	}
}

func sampleRun() *result.Comparison {
	nan := result.Estimate{Center: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
	key := func(name string) result.Key { return result.Key{Pkg: "example.com/codec", Name: name, Procs: 8} }
	c := &result.Comparison{
		Variants: []result.Variant{{Label: "."}},
		Config:   map[string]string{"goos": "linux", "goarch": "amd64"},
		Benchmarks: []result.BenchmarkComparison{
			{Key: key("Fib20"), Unit: "sec/op", New: result.Estimate{Center: 37.91e-6, Lo: 37.5e-6, Hi: 38.2e-6, N: 10},
				Level: result.Level{Raw: 37.95e-6, Overhead: result.Interval{Lo: 1.1e-9, Hi: 2.3e-9}, Quantiles: map[string]float64{"min": 37.1e-6, "max": 41e-6}, Spread: 0.008, Band: "good"}, Rounds: 200, Blocks: 10, Seconds: 1.1},
			{Key: key("Add"), Unit: "sec/op", New: result.Estimate{Center: 2.1e-9, Lo: 1.9e-9, Hi: 2.6e-9, N: 10}, Level: result.Level{Spread: 0.071, Band: "unstable"}, Rounds: 200, Blocks: 10, Seconds: 1.3,
				Findings: []finding.Finding{{ID: "unstable", Severity: finding.Warning, Subject: "Add-8", Message: "blocks differ by 7.1% of their median", Action: "run tare doctor"}}},
			{Key: key("Broken"), Unit: "sec/op", New: result.Estimate{Center: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}, Verdict: result.Failed, Findings: []finding.Finding{catalog.Failed.Of("Broken", finding.Text("variant", "."), finding.Text("why", "panic: boom\n\ngoroutine 1"))}},
			{Key: key("Fib20"), Unit: "allocs/op", New: result.Estimate{Center: 3, Lo: 3, Hi: 3, N: 10}, Exact: true, Blocks: 10, Seconds: 1.1},
		},
		Folder: ".tare/20260101-120000",
	}
	for i := range c.Benchmarks {
		c.Benchmarks[i].Old, c.Benchmarks[i].Change = nan, result.Change{Ratio: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
	}
	return c
}

func TestGolden(t *testing.T) {
	c, r := sampleComparison(), sampleRun()
	for _, tc := range []struct {
		name  string
		write func(b *bytes.Buffer) error
	}{
		{"comparison.txt", func(b *bytes.Buffer) error { return Text(b, Document{Comparison: c}, Options{}) }},
		{"comparison-color-100.txt", func(b *bytes.Buffer) error { return Text(b, Document{Comparison: c}, Options{Color: true, Width: 100}) }},
		{"comparison-80.txt", func(b *bytes.Buffer) error { return Text(b, Document{Comparison: c}, Options{Width: 80}) }},
		{"run-60.txt", func(b *bytes.Buffer) error { return Text(b, Document{Comparison: r}, Options{Width: 60}) }},
		{"comparison.json", func(b *bytes.Buffer) error { return result.WriteJSON(b, c.Document()) }},
		{"comparison.csv", func(b *bytes.Buffer) error { return CSV(b, Document{Comparison: c}) }},
		{"comparison.md", func(b *bytes.Buffer) error { return Markdown(b, Document{Comparison: c}) }},
		{"comparison-empty.txt", func(b *bytes.Buffer) error {
			return Text(b, Document{Comparison: &result.Comparison{}}, Options{})
		}},
		{"run.txt", func(b *bytes.Buffer) error { return Text(b, Document{Comparison: r}, Options{}) }},
		{"run.csv", func(b *bytes.Buffer) error { return CSV(b, Document{Comparison: r}) }},
		{"run.md", func(b *bytes.Buffer) error { return Markdown(b, Document{Comparison: r}) }},
		{"run-empty.txt", func(b *bytes.Buffer) error {
			return Text(b, Document{Comparison: &result.Comparison{Variants: make([]result.Variant, 1)}}, Options{})
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := tc.write(&b); err != nil {
				t.Fatal(err)
			}
			golden.Check(t, tc.name, b.Bytes())
		})
	}
}

// TestFailureIsReadable: the table has the first line of a panic, and the lines
// below it keep theirs.
func TestFailureIsReadable(t *testing.T) {
	r := &result.Comparison{Variants: []result.Variant{{Label: "."}}, Benchmarks: []result.BenchmarkComparison{{Key: result.Key{Name: "Broken"}, Unit: "sec/op",
		New: result.Estimate{Center: math.NaN()}, Verdict: result.Failed, Findings: []finding.Finding{catalog.Failed.Of("Broken", finding.Text("variant", "."), finding.Text("why", "panic: boom\n\ngoroutine 1 [running]:\nm.f()\n\tm.go:3"))}}}}
	var text, junit bytes.Buffer
	if err := errors.Join(Text(&text, Document{Comparison: r}, Options{}), JUnit(&junit, Document{Comparison: r})); err != nil {
		t.Fatal(err)
	}
	if want := "severe: Broken: failed in .: panic: boom; run go test -bench in the package, or the program, to see it fail, or leave it out with -skip [failed]\n        goroutine 1 [running]:\n        m.f()\n            m.go:3\n"; !strings.Contains(text.String(), want) {
		t.Errorf("no %q in\n%s", want, text.String())
	}
	if want := `message="failed in .: panic: boom"`; !strings.Contains(junit.String(), want) {
		t.Errorf("no %q in\n%s", want, junit.String())
	}
}

func TestOneBenchmarkFitsTwelveLines(t *testing.T) {
	c := sampleComparison()
	c.Benchmarks = slices.DeleteFunc(c.Benchmarks, func(b result.BenchmarkComparison) bool { return b.Name != "Encode/json" })
	c.Summary = result.Summary{Faster: 1}
	c.GeoMeans, c.Findings = nil, c.Findings[:min(2, len(c.Findings))]
	var b bytes.Buffer
	if err := Text(&b, Document{Comparison: c}, Options{}); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(b.String(), "\n"); lines > 12 || len(c.Benchmarks) < 2 {
		t.Errorf("%d lines for %d rows of a benchmark:\n%s", lines, len(c.Benchmarks), &b)
	}
}
