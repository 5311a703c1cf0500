package report

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/tarebench/tare/internal/result"
)

func render(t testing.TB, format string, d Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, format, d, Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestHTMLIsOneFileWithAPolicy(t *testing.T) {
	page := render(t, "html", comparedDocument(madeStudy(3, 12, 12, 1)))
	for _, forbidden := range []string{"http://", "src=", "@import", "url("} {
		// uPlot's banner names its home; nothing loads it.
		if rest := strings.ReplaceAll(page, "/*! https://github.com/leeoniya/uPlot", ""); strings.Contains(rest, forbidden) {
			t.Errorf("the report contains %q", forbidden)
		}
	}
	policy := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	if policy == nil || !strings.HasPrefix(policy[1], "default-src 'none'") || strings.Contains(policy[1], "unsafe") {
		t.Fatalf("policy %q", policy)
	}
	for _, script := range regexp.MustCompile(`(?s)<script>(.*?)</script>`).FindAllStringSubmatch(page, -1) {
		if !strings.Contains(policy[1], hashOf(script[1])) {
			t.Error("a script that the policy does not allow")
		}
	}
	for _, style := range regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindAllStringSubmatch(page, -1) {
		if !strings.Contains(policy[1], hashOf(style[1])) {
			t.Error("a style that the policy does not allow")
		}
	}
	if regexp.MustCompile(` style="| on[a-z]+=`).MatchString(strings.Split(page, "<script>")[0]) {
		t.Error("an inline style or handler")
	}
}

// TestNamesStayText holds for every format: no markup, no escape sequence, no
// workflow command comes out of a name.
func TestNamesStayText(t *testing.T) {
	rec := madeStudy(8, 12, 12, 1)
	rec.Study.Variants[0].Label = evil
	rec.Benchmarks[2].Pkg = evil
	rec.Findings[0].Message = evil
	rec.Study.Command[4] = evil
	for _, d := range []Document{comparedDocument(rec), runDocument(madeRun(rec))} {
		for _, format := range Formats() {
			if format == "png" || format == "svg" && d.Run != nil {
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
		var summary, log bytes.Buffer
		if err := GitHub(&summary, SummaryLimit, &log, d); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(strings.TrimSpace(log.String()), "\n") {
			if line != "" && !strings.HasPrefix(line, "::error title=") {
				t.Errorf("annotation %q", line)
			}
		}
	}
}

// TestFunctionsInHTML: what counts and profiles say of functions stands in the
// details of their benchmark, as text.
func TestFunctionsInHTML(t *testing.T) {
	rec := madeStudy(2, 12, 12, 1)
	rec.Profiles = []result.ProfileChange{{Key: rec.Benchmarks[1].Key, Kind: "cpuprofile", OldFile: "old.pb.gz", NewFile: "new.pb.gz",
		Functions: []result.FunctionChange{{Name: "example.com/pkg0.encode", File: "/home/x/pkg0/encode.go", Line: 12, Old: 0.5, New: 0.25}}}}
	rec.Counts = []result.Count{{Benchmark: 0, Unit: "instructions/op", Value: result.Estimate{Center: 4000, Lo: 4000, Hi: 4000, N: 1},
		Functions: []result.FunctionCount{{Name: "example.com/pkg0.encode", File: "/home/x/pkg0/encode.go", Line: 12, PerOp: 1000}}}}
	compared := comparedDocument(rec)
	compared.Comparison.Benchmarks[0].Functions = []result.FunctionChange{{Name: evil, Old: 100, New: 90}, {Name: "added", New: 7}, {Name: "removed", Old: 7}}
	check := func(d Document, article string, wanted ...string) {
		t.Helper()
		_, page, found := strings.Cut(render(t, "html", d), `<article id="`+article+`"`)
		page, _, _ = strings.Cut(page, "</article>")
		if !found {
			t.Fatalf("no details %s", article)
		}
		for _, want := range wanted {
			if !strings.Contains(page, want) {
				t.Errorf("details %s lack %q", article, want)
			}
		}
		if strings.Contains(page, "<script>") || strings.Contains(page, "home") {
			t.Errorf("details %s pass markup or a folder on", article)
		}
	}
	check(compared, "b1", "Functions that changed most [sec/op]", "&lt;script&gt;", "<td>-10%", "<td>new", "<td>gone")
	check(compared, "b2", "Shares of the cpuprofile that changed most", "encode <small>pkg0/encode.go:12</small>", "<td>50.0%<td>25.0%<td>-25.0 points",
		"go tool pprof -diff_base old.pb.gz new.pb.gz")
	check(runDocument(madeRun(rec)), "b1", "Functions that spend most [instructions/op]", "<td>1.000 k<td>25.0%")
}

func TestBenchPatternMatchesOneBenchmark(t *testing.T) {
	got := benchPattern("Encode/size=1k(x)/a.b")
	if want := `^BenchmarkEncode$/^size=1k\(x\)$/^a\.b$`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestCommandForOneBenchmark(t *testing.T) {
	rec := madeStudy(1, 1, 1, 1)
	rec.Study.Command = []string{"tare", "compare", "-bench", ".", "-bench=Old", "main", ".", "--", "-x"}
	d := Document{Recording: rec}
	got := shellWords(d.commandFor(rec.Benchmarks[0].Key))
	if want := `tare compare -bench '^BenchmarkEncode$/^size=1k$' main . -- -x`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// largeDocument is the largest report that the figures are promised for.
// The judgement of the first sixteen benchmarks stands for all: the report
// does not look behind it. It is made once: no test changes it.
var largeDocument = sync.OnceValue(func() Document {
	rec := madeStudy(1000, 10, 21, 2)
	few := *rec
	few.Benchmarks = rec.Benchmarks[:16]
	few.Rounds = rec.Rounds[:16*10*21]
	few.Blocks, few.Stops = rec.Blocks[:160], rec.Stops[:16]
	d := comparedDocument(&few)
	d.Recording = rec
	rows := d.Comparison.Benchmarks
	d.Comparison.Benchmarks = nil
	for i, b := range rec.Benchmarks {
		row := rows[i%len(rows)]
		row.Key = b.Key
		d.Comparison.Benchmarks = append(d.Comparison.Benchmarks, row)
	}
	return d
})

func TestLargeReportSize(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 1,000 benchmarks × 200 rounds; run without -short")
	}
	page := render(t, "html", largeDocument())
	t.Logf("%d bytes", len(page))
	if len(page) > 5<<20 {
		t.Errorf("%d bytes, more than 5 MiB", len(page))
	}
}

func BenchmarkHTML(b *testing.B) {
	d := largeDocument()
	b.Run("benchmarks=1000/rounds=200", func(b *testing.B) {
		for b.Loop() {
			if err := HTML(io.Discard, d); err != nil {
				b.Fatal(err)
			}
		}
	})
}
