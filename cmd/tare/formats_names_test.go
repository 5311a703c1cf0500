package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/cmd/tare/internal/test/studies"
)

func render(t testing.TB, format string, d report.Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := writeDocument(&b, format, d, report.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// timeIterations gives the first benchmark the quantiles of single iterations.
func timeIterations(rec *result.Recording) {
	for k := range rec.Benchmarks[0].Blocks {
		block := &rec.Benchmarks[0].Blocks[k]
		block.Counting = []result.Round{{Order: []int{0, 1}, Slices: make([]result.Slice, 2)}}
		for v := range block.Counting[0].Slices {
			metrics := make(map[string]float64)
			for _, share := range result.Shares {
				metrics[share.Unit] = 1e-6
			}
			block.Counting[0].Slices[v] = result.Slice{N: 100, Metrics: metrics}
		}
	}
}

// TestPercentilesOfSingleIterationsOnly: if iterations were timed, the percentiles of
// slices, which are means of many iterations, are not shown.
func TestPercentilesOfSingleIterationsOnly(t *testing.T) {
	rec := studies.Study(1, 12, 12, 1)
	timeIterations(rec)
	for _, d := range []report.Document{studies.Compared(rec), studies.Measured(studies.RunOf(rec))} {
		text := render(t, "distribution", d)
		if n := strings.Count(text, "p99 "); n != 1 {
			t.Errorf("%d lists have p99:\n%s", n, text)
		}
		if !strings.Contains(text, "], median of the slices (the table: of the blocks)") {
			t.Errorf("the list of single iterations has no name:\n%s", text)
		}
	}
}

// TestNamesStayText holds for every format: no markup, no escape sequence, no
// workflow command comes out of a name.
func TestNamesStayText(t *testing.T) {
	rec := studies.Study(8, 12, 12, 1)
	timeIterations(rec)
	rec.Study.Variants[0].Label = studies.Evil
	rec.Benchmarks[2].Pkg = studies.Evil
	rec.Findings[0].Message, rec.Findings[0].ID = studies.Evil, studies.Evil
	rec.Study.Command[4] = studies.Evil
	for _, d := range []report.Document{studies.Compared(rec), studies.Measured(studies.RunOf(rec))} {
		for _, format := range formatNames(false) {
			if format == "svg" && d.Comparison.IsRun() {
				continue
			}
			out := render(t, format, d)
			if strings.ContainsAny(out, "\x1b\u202e") && format != "csv" && format != "json" {
				t.Errorf("%s passes control characters on", format)
			}
			switch format {
			case "html", "svg", "markdown", "junit":
				if strings.Contains(out, "<script>alert") || strings.Contains(out, "<img") {
					t.Errorf("%s passes markup on", format)
				}
			}
		}
		if d.Comparison.IsRun() {
			continue
		}
		var log bytes.Buffer
		if err := report.Annotations(&log, d); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(strings.TrimSpace(log.String()), "\n") {
			if line != "" && !strings.HasPrefix(line, "::error title=") {
				t.Errorf("annotation %q", line)
			}
		}
	}
}

// TestErrorsStayText holds for words of another machine and names of files: no
// escape sequence and no workflow command comes out of an error.
func TestErrorsStayText(t *testing.T) {
	var out, err bytes.Buffer
	name := "x\x1b]0;pwn\x07\n ::error::pwned"
	for _, verb := range []string{"show", "lint"} {
		if code := run(t.Context(), session.Host{}, []string{"tare", verb, name}, nil, &out, &err); code != exitFailed {
			t.Errorf("%s: exit code %d", verb, code)
		}
	}
	report.NewLive(&err, report.LiveOptions{}).Notice(name)
	if text := err.String(); strings.Contains(text, "\x1b") || strings.Contains(text, "\n ::") || !strings.Contains(text, "pwned") {
		t.Errorf("standard error is %q", text)
	}
}
