package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// TestContradictionNeedsLongerSlices: no more blocks decide a row whose long runs
// contradict its slices, so the next step is not -resume.
func TestContradictionNeedsLongerSlices(t *testing.T) {
	row := func(name string, contradict bool) result.BenchmarkComparison {
		return result.BenchmarkComparison{Key: result.Key{Name: name}, Unit: "sec/op", NewVariant: 1, Verdict: result.Undecided, Blocks: 8, LongRuns: &result.LongRuns{Levels: make([]result.Interval, 2), Contradict: contradict}}
	}
	document := func(rows ...result.BenchmarkComparison) Document {
		rec := &result.Recording{Study: result.Study{Plan: result.Plan{TotalSeconds: 60, Command: []string{"/bin/tare", "compare", "-bench", ".", "main", "HEAD", "--benchtime=2s", "--", "-x"}}}}
		for _, r := range rows {
			rec.Benchmarks = append(rec.Benchmarks, result.Benchmark{Key: r.Key, Blocks: []result.Block{{Long: []result.Round{{Slices: []result.Slice{{N: 7000}, {N: 500}}}}}}})
		}
		return Document{Recording: rec, Command: rec.Study.Command, Comparison: &result.Comparison{
			Variants: []result.Variant{{Label: "main"}, {Label: "HEAD"}}, Benchmarks: rows, Folder: ".tare/x", Summary: result.Summary{Undecided: len(rows)}}}
	}
	const longer = "tare compare main HEAD -benchtime 7000x -bench 'Benchmark(A)$' -- -x"
	for _, test := range []struct {
		d                      Document
		longer, resume, inLine bool // inLine: -format line has the longer slices
	}{
		{document(row("A/x", true)), true, false, true},
		{document(row("A/x", true), row("B", false)), true, true, false},
		{document(row("B", false)), false, true, false},
	} {
		step := test.d.next()
		if strings.Contains(step, longer) != test.longer || strings.Contains(step, "-resume") != test.resume {
			t.Errorf("next: %s", step)
		}
		var b bytes.Buffer
		if err := ComparisonBrief(&b, test.d); err != nil || strings.Contains(b.String(), longer) != test.inLine || strings.Contains(b.String(), "-resume") == test.inLine {
			t.Errorf("line: %s %v", b.String(), err)
		}
	}
	busy := row("C", true)
	busy.LongRuns.Levels = nil
	if step := document(busy).next(); !strings.Contains(step, "quieter machine") || strings.Contains(step, "-benchtime") || strings.Contains(step, "-resume") {
		t.Errorf("next, on a busy machine: %s", step)
	}
}

// TestPassedGateNeedsNoMore: an undecided row inside the gate asks for no time.
func TestPassedGateNeedsNoMore(t *testing.T) {
	row := func(name string, gate result.Gate) result.BenchmarkComparison {
		return result.BenchmarkComparison{Key: result.Key{Name: name}, Unit: "sec/op", NewVariant: 1, Primary: true, Verdict: result.Undecided, Blocks: 8, Gate: gate}
	}
	next := func(limits result.Limits, rows ...result.BenchmarkComparison) string {
		rec := &result.Recording{Study: result.Study{Plan: result.Plan{TotalSeconds: 60, Output: result.Output{Gate: limits}}}}
		return Document{Recording: rec, Comparison: &result.Comparison{Benchmarks: rows, Folder: ".tare/x", Summary: result.Summary{Undecided: len(rows)}}}.next()
	}
	limits := result.Limits{"sec/op": -1}
	if got := next(limits, row("A", result.GatePass)); got != "nothing: the gate is decided" {
		t.Errorf("next, with a gate: %s", got)
	}
	for _, got := range []string{next(limits, row("A", result.GatePass), row("B", result.GateOpen)), next(nil, row("A", result.GatePass))} {
		if !strings.Contains(got, "-resume") {
			t.Errorf("next: %s", got)
		}
	}
}

// TestSummaryHasTheError: one line of a comparison that does not build has what the
// compiler prints.
func TestSummaryHasTheError(t *testing.T) {
	f := catalog.NotBuilt.Of("p", finding.Text("variant", "."), finding.Text("why", "compile .: package p:\n# p\n./a.go:42:14: syntax error\n./a.go:43:1: too many errors"))
	var b bytes.Buffer
	if err := Summary(&b, Document{Comparison: &result.Comparison{Findings: []finding.Finding{f}}}, Options{}); err != nil || !strings.HasSuffix(b.String(), "package p: ./a.go:42:14: syntax error\n") {
		t.Errorf("%v: %s", err, b.String())
	}
}
