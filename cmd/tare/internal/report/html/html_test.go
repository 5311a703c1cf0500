package html

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/test/studies"
	"github.com/tarebench/tare/internal/finding"
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

// TestNextStepOnce: the list of notes names the next step of each kind once.
func TestNextStepOnce(t *testing.T) {
	d := studies.Compared(studies.Study(2, 10, 12, 1))
	for _, name := range []string{"A", "B", "C"} {
		d.Comparison.Findings = append(d.Comparison.Findings, catalog.LikelyCause.Of(name, finding.Text("cause", name+" allocates")))
	}
	page := render(t, d)
	if n := strings.Count(page, "tare explain"); n != 1 || strings.Count(page, " allocates") != 3 {
		t.Errorf("tare explain is advised %d times", n)
	}
}
