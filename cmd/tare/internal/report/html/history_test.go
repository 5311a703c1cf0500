package html

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/tarebench/tare/cmd/tare/internal/history"
	"github.com/tarebench/tare/cmd/tare/internal/lab"
	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/test/studies"
)

// evil is a subject and a name that try markup and a script.
const evil = studies.Evil + "</td><style>*{display:none}</style>"

// recorded is a history of some commits and benchmarks, with steps, gaps, a
// part that is not connected, two machines, an accepted change and hostile
// names.
func recorded(commits, benchmarks int) report.History { return recordedAs(commits, benchmarks, evil) }

// recordedAs is it with another name than a hostile one.
func recordedAs(commits, benchmarks int, evil string) report.History {
	random := rand.New(rand.NewPCG(1, 9))
	hash := func(k int) string { return fmt.Sprintf("%016x%024x", uint64(k+1)*0x9e3779b97f4a7c15, k) }
	commit := func(k int) history.Commit {
		subject := fmt.Sprintf("decode: change number %d", k)
		if k == 3 && evil != "" {
			subject = evil
		}
		return history.Commit{Hash: hash(k), Subject: subject, Time: time.Date(2025, 1, 1, k, 0, 0, 0, time.UTC)}
	}
	name := func(b int) string {
		if b == 2 && evil != "" {
			return evil
		}
		return fmt.Sprintf("Decode/case=%d", b)
	}
	level := make([]float64, benchmarks)
	line := []string{hash(0)}
	var files []history.File
	add := func(e history.Entry) { files = append(files, history.File{Name: fmt.Sprint(len(files)), Entry: e}) }
	study := func(a, b int, machine string, rows []history.Row) {
		add(history.Entry{Study: &history.Study{Machine: machine, Old: commit(a), New: commit(b), Rows: rows}})
	}
	total := make([][]float64, commits)
	total[0] = make([]float64, benchmarks)
	for k := 1; k < commits; k++ {
		line = append(line, hash(k))
		rows := [2][]history.Row{}
		total[k] = make([]float64, benchmarks)
		for b := range benchmarks {
			step := 0.0
			if k == commits/3 && b%3 == 0 || k == commits*3/4 && b%5 == 0 {
				step = 0.03 * float64(1-2*(b%2))
				add(history.Entry{Decision: &history.Decision{Commit: hash(k), Pkg: "example.org/p", Name: name(b), Unit: "sec/op",
					LogRatio: step, Lo: step - 0.004, Hi: step + 0.004, P: 1e-6, Found: true}})
			}
			level[b] += step
			total[k][b] = level[b]
			noise := 0.002 * float64(1+b%4)
			for i, from := range []int{k - 1, 0} {
				v := total[k][b] - total[from][b] + noise*random.NormFloat64()
				rows[i] = append(rows[i], history.Row{Pkg: "example.org/p", Name: name(b), Unit: "sec/op", LogRatio: v, Lo: v - 2*noise, Hi: v + 2*noise, Blocks: 8})
			}
		}
		if k%17 == 0 {
			continue // the next one is connected by its anchor alone
		}
		study(k-1, k, fmt.Sprint("machine ", 2*k/commits), rows[0])
		study(0, k, fmt.Sprint("machine ", 2*k/commits), rows[1])
	}
	g := history.NewGraph(files, line)
	h := report.History{Graph: g}
	if evil != "" {
		h.Skipped = []history.Skipped{{Name: evil, Err: fmt.Errorf("%s", evil)}}
	}
	for _, key := range g.Keys() {
		h.Series = append(h.Series, g.Series(key, 0))
	}
	return h
}

func renderHistory(t testing.TB, h report.History) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteHistory(&b, h); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestHistoryIsOneFileWithAPolicy: the page loads nothing and runs no script.
// Names from the store are text.
func TestHistoryIsOneFileWithAPolicy(t *testing.T) {
	t.Parallel()
	page := renderHistory(t, recorded(40, 6))
	for _, forbidden := range []string{" src=\"", "@import", "url(", "<style>*", "<img", "alert(1)</script>", " onerror=alert(2)>", "</td><style"} {
		if strings.Contains(page, forbidden) {
			t.Errorf("the page contains %q", forbidden)
		}
	}
	policy := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	if policy == nil || !strings.HasPrefix(policy[1], "default-src 'none'") || strings.Contains(policy[1], "unsafe") {
		t.Fatalf("policy %q", policy)
	}
	if strings.Contains(page, "<script") {
		t.Error("a script")
	}
	for _, s := range regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindAllStringSubmatch(page, -1) {
		if !strings.Contains(policy[1], hash(s[1])) {
			t.Error("a style that the policy does not allow")
		}
	}
	if regexp.MustCompile(`<[a-z][^<>]* (style|on[a-z]+)=`).MatchString(page) {
		t.Error("an inline style or handler")
	}
}

// TestHistoryShowsEveryChange: the page names levels and changes with the
// commits, and each curve marks its changes.
func TestHistoryShowsEveryChange(t *testing.T) {
	t.Parallel()
	h := recorded(40, 6)
	page := renderHistory(t, h)
	for _, want := range []string{"40 commits, 6 benchmarks, 4 changes", "Decode/case=0", "decode: change number 13", "not read: Evil"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	rows := strings.Split(page, "<tr>")[2:]
	for i, s := range h.Series {
		if n := strings.Count(rows[i], "<circle "); n != len(s.Changes) || strings.Count(rows[i], "<p><b class=") != n {
			t.Errorf("%s: %d marks of %d changes", s.Name, n, len(s.Changes))
		}
		points := regexp.MustCompile(`points="([^"]*)"`).FindStringSubmatch(rows[i])
		if points == nil || len(strings.Fields(points[1])) != 40 {
			t.Errorf("%s: not every commit is in the curve", s.Name)
		}
	}
}

func TestEmptyHistory(t *testing.T) {
	t.Parallel()
	if page := renderHistory(t, report.History{Graph: history.NewGraph(nil, nil)}); !strings.Contains(page, "0 commits") {
		t.Error("an empty history is not said to be empty")
	}
}

// open writes the page to disk and opens it from there.
func open(t *testing.T, b *tab, page string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "history.html")
	if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	b.Do(t, chromedp.Navigate("file://"+file))
}

func number(t *testing.T, b *tab, script string) int {
	t.Helper()
	return askTab(t, b, chromedp.Evaluate[int](script))
}

// TestHistoryOnAPhone: at 390 pixels nothing is wider than the page.
func TestHistoryOnAPhone(t *testing.T) {
	t.Parallel() // it waits for Chromium
	b := openTab(t, true)
	b.Do(t, chromedp.EmulateViewport(390, 800))
	open(t, b, renderHistory(t, recorded(40, 6)))
	if w := number(t, b, `document.documentElement.scrollWidth`); w > 390 {
		t.Errorf("the page is %d pixels wide", w)
	}
	outside := tabText(t, b, `Array.from(document.querySelectorAll("td, p, svg")).filter(e => e.checkVisibility() && e.getBoundingClientRect().width > 0 && (e.getBoundingClientRect().right > 391 || e.getBoundingClientRect().left < -1)).map(e => e.outerHTML.slice(0, 80)).join("\n")`)
	if outside != "" {
		t.Errorf("outside of the page:\n%s", outside)
	}
	b.Quiet(t)
}

// TestAxe runs the rules of axe-core, from the npm registry, in both schemes
// and at the width of a phone.
func TestAxe(t *testing.T) {
	lab.Only(t, "checks the page with axe-core, from the npm registry")
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("no npm: apt-get install -y npm")
	}
	dir := t.TempDir()
	install := exec.Command(npm, "install", "--prefix", dir, "--no-audit", "--no-fund", "axe-core@4.11")
	if out, err := install.CombinedOutput(); err != nil {
		t.Skipf("axe-core cannot be had: %v\n%s", err, out)
	}
	axe, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	page := renderHistory(t, recorded(40, 6))
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{1240, 390} {
			b := openTab(t, true)
			dress(t, b, scheme)
			b.Do(t, chromedp.EmulateViewport(width, 900))
			open(t, b, page)
			found := askTab(t, b, chromedp.Evaluate[string](string(axe)+`; axe.run(document).then(r => r.violations.map(v => v.id + ": " + v.help + ": " + v.nodes.map(n => n.html.slice(0, 120)).join(" ; ")).join("\n") + "|" + r.passes.length)`, chromedp.EvalAwaitPromise))
			violations, passes, _ := strings.Cut(found, "|")
			if violations != "" {
				t.Errorf("%s, %d pixels:\n%s", scheme, width, violations)
			}
			if passes < "1" {
				t.Errorf("%s, %d pixels: no rule ran", scheme, width)
			}
		}
	}
}

func dress(t *testing.T, b *tab, scheme string) {
	t.Helper()
	if _, err := chromedp.Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}); err != nil {
		t.Fatal(err)
	}
}

// TestLargeHistory: 500 commits × 200 benchmarks stay under 5 MB. It logs how long
// a browser takes to show them.
func TestLargeHistory(t *testing.T) {
	lab.Only(t, "writes the page of 200 benchmarks over 500 commits")
	began := time.Now()
	h := recorded(500, 200)
	solved := time.Since(began)
	page := renderHistory(t, h)
	t.Logf("%.1f MB; solved in %.1f s", float64(len(page))/1e6, solved.Seconds())
	if len(page) > 5e6 {
		t.Errorf("%d bytes, more than 5 MB", len(page))
	}
	b := openTab(t, true)
	open(t, b, page)
	askTab(t, b, chromedp.Poll[bool](`performance.getEntriesByName("first-contentful-paint").length > 0`))
	t.Logf("first paint %.0f ms", askTab(t, b, chromedp.Evaluate[float64](`performance.getEntriesByName("first-contentful-paint")[0].startTime`)))
	if got := number(t, b, `document.querySelectorAll("tbody tr").length`); got != 200 {
		t.Errorf("%d rows", got)
	}
	b.Quiet(t)
}

// TestHistoryScreenshots makes the pictures of docs/history.md.
func TestHistoryScreenshots(t *testing.T) {
	if *screenshots == "" {
		t.Skip("writes pictures with -screenshots DIR")
	}
	page := renderHistory(t, recordedAs(120, 12, ""))
	for _, scheme := range []string{"light", "dark"} {
		for name, size := range map[string][2]int64{"history": {1240, 1000}, "history-phone": {390, 844}} {
			b := openTab(t, true)
			dress(t, b, scheme)
			b.Do(t, chromedp.EmulateViewport(size[0], size[1]))
			open(t, b, page)
			picture := askTab(t, b, chromedp.CaptureScreenshot())
			if err := os.WriteFile(filepath.Join(*screenshots, name+"-"+scheme+".png"), picture, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
