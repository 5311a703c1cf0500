package html

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/test/studies"
)

func render(t testing.TB, d report.Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestHTMLIsOneFileWithAPolicy(t *testing.T) {
	page := render(t, studies.Compared(studies.Study(3, 12, 12, 1)))
	for _, forbidden := range []string{"http://", "src=", "@import", "url("} {
		// uPlot's banner names its home, but nothing loads it.
		if rest := strings.ReplaceAll(page, "/*! https://github.com/leeoniya/uPlot", ""); strings.Contains(rest, forbidden) {
			t.Errorf("the report contains %q", forbidden)
		}
	}
	policy := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	if policy == nil || !strings.HasPrefix(policy[1], "default-src 'none'") || strings.Contains(policy[1], "unsafe") {
		t.Fatalf("policy %q", policy)
	}
	for _, script := range regexp.MustCompile(`(?s)<script>(.*?)</script>`).FindAllStringSubmatch(page, -1) {
		if !strings.Contains(policy[1], hash(script[1])) {
			t.Error("a script that the policy does not allow")
		}
	}
	for _, style := range regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindAllStringSubmatch(page, -1) {
		if !strings.Contains(policy[1], hash(style[1])) {
			t.Error("a style that the policy does not allow")
		}
	}
	if regexp.MustCompile(` style="| on[a-z]+=`).MatchString(strings.Split(page, "<script>")[0]) {
		t.Error("an inline style or handler")
	}
}

// TestFunctionsInHTML: the functions of counts and profiles are in the details
// of their benchmark, as text.
func TestFunctionsInHTML(t *testing.T) {
	rec := studies.Study(2, 12, 12, 1)
	rec.Profiles = []result.ProfileChange{{Key: rec.Benchmarks[1].Key, Kind: "cpuprofile", OldFile: "old.pb.gz", NewFile: "new.pb.gz",
		Functions: []result.FunctionChange{{Name: "example.com/pkg0.encode", File: "/home/x/pkg0/encode.go", Line: 12, Old: 0.5, New: 0.25}}}}
	rec.Counts = []result.Count{{Benchmark: 0, Unit: "instructions/op", Value: result.Estimate{Center: 4000, Lo: 4000, Hi: 4000, N: 1},
		Functions: []result.FunctionCount{{Name: "example.com/pkg0.encode", File: "/home/x/pkg0/encode.go", Line: 12, PerOp: 1000}}}}
	compared := studies.Compared(rec)
	compared.Comparison.Benchmarks[0].Functions = []result.FunctionChange{{Name: studies.Evil, Old: 100, New: 90}, {Name: "added", New: 7}, {Name: "removed", Old: 7}}
	check := func(d report.Document, article string, wanted ...string) {
		t.Helper()
		_, page, found := strings.Cut(render(t, d), `<article id="`+article+`"`)
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
	check(studies.Measured(studies.RunOf(rec)), "b1", "Functions that spend most [instructions/op]", "<td>1.000 k<td>25.0%")
}

func TestLargeReportSize(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 1,000 benchmarks × 200 rounds; run without -short")
	}
	page := render(t, studies.Large())
	t.Logf("%d bytes", len(page))
	if len(page) > 5<<20 {
		t.Errorf("%d bytes, more than 5 MiB", len(page))
	}
}

func BenchmarkHTML(b *testing.B) {
	d := studies.Large()
	b.Run("benchmarks=1000/rounds=200", func(b *testing.B) {
		for b.Loop() {
			if err := Write(io.Discard, d); err != nil {
				b.Fatal(err)
			}
		}
	})
}
