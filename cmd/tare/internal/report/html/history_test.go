package html

import (
	"bytes"
	"fmt"
	"math"
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

const remoteAddress = "git@github.com:example/decode.git"

func renderHistory(t testing.TB, h report.History) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteHistory(&b, h, remoteAddress); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestSite(t *testing.T) {
	t.Parallel()
	for remote, want := range map[string]string{
		"git@github.com:a/b.git":                  "https://github.com/a/b/commit/",
		"https://github.com/a/b":                  "https://github.com/a/b/commit/",
		"https://user:secret@github.com/a/b.git/": "https://github.com/a/b/commit/",
		"ssh://git@gitlab.example.org:22/g/s/b":   "https://gitlab.example.org/g/s/b/-/commit/",
		"https://git.example.org:8443/a/b.git":    "https://git.example.org:8443/a/b/commit/",
		"git@bitbucket.org:a/b":                   "https://bitbucket.org/a/b/commits/",
		"/srv/git/b.git":                          "",
		"../b":                                    "",
		"file:///srv/b.example":                   "",
		"javascript:alert(1)//x.example/a":        "",
		"https://github.com":                      "",
		"":                                        "",
		"host:path":                               "",
	} {
		if got := site(remote); got != want {
			t.Errorf("site(%q) = %q, want %q", remote, got, want)
		}
	}
	for _, bad := range []string{"", "abc", "../../x", "javascript:alert(1)", strings.Repeat("a", 65), "ABCDEF1234"} {
		if got := link("https://x.example/commit/", bad); got != "" {
			t.Errorf("link(%q) = %q", bad, got)
		}
	}
}

// TestHistoryIsOneFileWithAPolicy: the page loads nothing and runs only the scripts
// in its policy. Names from the store are text.
func TestHistoryIsOneFileWithAPolicy(t *testing.T) {
	t.Parallel()
	page := renderHistory(t, recorded(40, 6))
	for _, forbidden := range []string{" src=\"", "@import", "url(", "<style>*", "<img", "alert(1)</script>", " onerror=alert(2)>", "</td><style"} {
		if strings.Contains(strings.ReplaceAll(page, "clip-path\": \"url(#inside)", ""), forbidden) {
			t.Errorf("the page contains %q", forbidden)
		}
	}
	policy := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	if policy == nil || !strings.HasPrefix(policy[1], "default-src 'none'") || strings.Contains(policy[1], "unsafe") {
		t.Fatalf("policy %q", policy)
	}
	scripts := regexp.MustCompile(`(?s)<script[^>]*>(.*?)</script>`).FindAllStringSubmatch(page, -1)
	if len(scripts) != 2 || !strings.Contains(policy[1], hash(scripts[1][1])) {
		t.Errorf("%d scripts, of which the policy is to allow the second", len(scripts))
	}
	for _, s := range regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindAllStringSubmatch(page, -1) {
		if !strings.Contains(policy[1], hash(s[1])) {
			t.Error("a style that the policy does not allow")
		}
	}
	if regexp.MustCompile(`<[a-z][^<>]* (style|on[a-z]+)=`).MatchString(strings.Split(page, "<script")[0]) {
		t.Error("an inline style or handler")
	}
}

// TestLevelsSurviveTheirEncoding: the script reads the level to 0.001%.
func TestLevelsSurviveTheirEncoding(t *testing.T) {
	t.Parallel()
	h := recorded(40, 6)
	p := newHistoryPage(h, "")
	for i, s := range h.Series {
		for k := range h.Graph.Line {
			got := p.numbers.Curves[i].Level[k]
			if (got != nil) != !math.IsNaN(s.Level[k]) || got != nil && math.Abs(float64(*got)*step-s.Level[k]) > step {
				t.Fatalf("%s: level %d is %v, want %v", s.Name, k, got, s.Level[k])
			}
		}
	}
	if p.numbers.Commits[5].Linked || p.Changes[0].Link != "" {
		t.Error("a link without a remote")
	}
}

func TestEmptyHistory(t *testing.T) {
	t.Parallel()
	if page := renderHistory(t, report.History{Graph: history.NewGraph(nil, nil)}); !strings.Contains(page, "0 commits") {
		t.Error("an empty history is not said to be empty")
	}
}

// open writes the page to disk and opens it from there.
func open(t *testing.T, b *tab, page, fragment string) (url string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "history.html")
	if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	b.Do(t, chromedp.Navigate("file://"+file+fragment))
	return "file://" + file
}

func number(t *testing.T, b *tab, script string) int {
	t.Helper()
	return askTab(t, b, chromedp.Evaluate[int](script))
}

func TestHistoryInChromium(t *testing.T) {
	t.Parallel() // it waits for Chromium
	b := openTab(t, true)
	open(t, b, renderHistory(t, recorded(40, 6)), "#b1")
	text := func(script string) string { t.Helper(); return tabText(t, b, script) }
	askTab(t, b, chromedp.Poll[bool](`document.querySelector("#plot path.level") !== null && document.querySelectorAll("#list svg").length === 6`))
	if got := text(`document.activeElement.id + " " + document.getElementById("which").textContent`); got != "which Decode/case=0" {
		t.Errorf("opened: %s", got)
	}
	if n := number(t, b, `document.querySelectorAll("#plot .flag").length`); n != 2 {
		t.Errorf("%d changes are marked, want 2", n)
	}

	// Keys.
	key := func(key string) {
		t.Helper()
		text(fmt.Sprintf(`(document.getElementById("plot").dispatchEvent(new KeyboardEvent("keydown", { key: %q })), "")`, key))
	}
	key("PageDown")
	readout := text(`document.getElementById("readout").textContent`)
	if !strings.Contains(readout, "change +3.05%") || !strings.Contains(readout, "decode: change number 13") {
		t.Errorf("at the first change: %s", readout)
	}
	if href := text(`document.querySelector("#readout a").href`); !regexp.MustCompile(`^https://github\.com/example/decode/commit/[0-9a-f]{40}$`).MatchString(href) {
		t.Errorf("the commit links to %s", href)
	}
	key("End")
	if got := text(`document.getElementById("readout").textContent`); !strings.Contains(got, "number 39") {
		t.Errorf("at the end: %s", got)
	}
	labels := `Array.from(document.querySelectorAll("#plot text")).map(e => e.textContent).join(" ")`
	whole := text(labels)
	key("+")
	if zoomed := text(labels); zoomed == whole {
		t.Errorf("+ does not zoom: %s", whole)
	}
	key("Escape")
	if got := text(labels); got != whole {
		t.Errorf("Escape shows %s, not %s", got, whole)
	}

	// Hover, then drag to zoom.
	box := `document.getElementById("plot").getBoundingClientRect()`
	pointer := func(kind string, share float64) {
		t.Helper()
		text(fmt.Sprintf(`(() => { const r = %s; document.getElementById("plot").dispatchEvent(new PointerEvent(%q, { bubbles: true, clientX: r.left + r.width * %g, clientY: r.top + 50 })); return "" })()`, box, kind, share))
	}
	pointer("pointermove", 0.5)
	if got := text(`document.getElementById("readout").textContent`); !regexp.MustCompile(`number (19|20|21)`).MatchString(got) {
		t.Errorf("hovered in the middle: %s", got)
	}
	pointer("pointerdown", 0.5)
	pointer("pointermove", 0.75)
	pointer("pointerup", 0.75)
	if got := text(labels); got == whole {
		t.Error("dragging does not zoom")
	}

	// The hostile name is text, in the list, the title and the readout.
	b.Do(t, chromedp.SendKeys("#filter", "evil"))
	if got := text(`Array.from(document.querySelectorAll("#list tbody tr")).filter(r => !r.hidden).map(r => r.cells[0].textContent).join("|")`); !strings.HasPrefix(got, "Evil/</script><script>alert(1)") || strings.Contains(got, "Decode") {
		t.Errorf("filtered, the rows are %s", got)
	}
	b.Do(t, chromedp.Click(`#list tbody tr:not([hidden]) a`))
	askTab(t, b, chromedp.Poll[bool](`document.getElementById("which").textContent.startsWith("Evil")`))
	if got := text(`document.getElementById("which").textContent`); !strings.HasPrefix(got, "Evil/</script>") {
		t.Errorf("opened: %s", got)
	}
	key("Home")
	for range 3 {
		key("ArrowRight")
	}
	if got := text(`document.getElementById("readout").textContent`); !strings.Contains(got, "<img src=x") {
		t.Errorf("the fourth commit: %s", got)
	}
	if n := number(t, b, `document.querySelectorAll("img, script:not([id])").length`); n != 1 {
		t.Errorf("%d images and scripts", n)
	}
	text(`(() => { const i = document.getElementById("filter"); i.value = ""; i.dispatchEvent(new Event("input")); return "" })()`)
	b.Do(t, chromedp.Click("#changed"))
	if got := text(`document.getElementById("shown").textContent`); got != "3 of 6 benchmarks" {
		t.Errorf("with changes: %s", got)
	}
	b.Quiet(t)
}

// TestHistoryOnAPhone: at 390 pixels nothing is wider than the page.
func TestHistoryOnAPhone(t *testing.T) {
	t.Parallel() // it waits for Chromium
	b := openTab(t, true)
	b.Do(t, chromedp.EmulateViewport(390, 800))
	open(t, b, renderHistory(t, recorded(40, 6)), "")
	askTab(t, b, chromedp.Poll[bool](`document.querySelector("#plot path.level") !== null`))
	if w := number(t, b, `document.documentElement.scrollWidth`); w > 390 {
		t.Errorf("the page is %d pixels wide", w)
	}
	outside := tabText(t, b, `Array.from(document.querySelectorAll("td, p, button, h2, svg, input")).filter(e => e.checkVisibility() && e.getBoundingClientRect().width > 0 && (e.getBoundingClientRect().right > 391 || e.getBoundingClientRect().left < -1)).map(e => e.outerHTML.slice(0, 80)).join("\n")`)
	if outside != "" {
		t.Errorf("outside of the page:\n%s", outside)
	}
	b.Quiet(t)
}

// TestHistoryWithoutJavaScript: the page has levels and changes, but not the parts
// that need the script.
func TestHistoryWithoutJavaScript(t *testing.T) {
	t.Parallel() // it waits for Chromium
	b := openTab(t, false)
	open(t, b, renderHistory(t, recorded(40, 6)), "")
	page := askTab(t, b, chromedp.Text("body"))
	for _, want := range []string{"40 commits, 6 benchmarks", "Decode/case=0", "+3.05% (+2.63 … +3.46%)", "decode: change number 13", "not read: Evil"} {
		if !strings.Contains(page, want) {
			t.Errorf("without JavaScript, the page lacks %q", want)
		}
	}
	if strings.Contains(page, "Zoom in") {
		t.Error("without JavaScript, the page shows buttons that do nothing")
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
			open(t, b, page, "#b1")
			askTab(t, b, chromedp.Poll[bool](`document.querySelector("#plot path.level") !== null`))
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
	open(t, b, page, "")
	askTab(t, b, chromedp.Poll[bool](`document.querySelector("#plot path.level") !== null && performance.getEntriesByName("first-contentful-paint").length > 0`))
	paint := askTab(t, b, chromedp.Evaluate[float64](`performance.getEntriesByName("first-contentful-paint")[0].startTime`))
	ready := askTab(t, b, chromedp.Evaluate[float64](`performance.getEntriesByType("navigation")[0].loadEventEnd`))
	next := askTab(t, b, chromedp.Evaluate[float64](`new Promise(done => { const t = performance.now(); location.hash = "#b150"; requestAnimationFrame(() => setTimeout(() => done(performance.now() - t))); })`, chromedp.EvalAwaitPromise))
	t.Logf("first paint %.0f ms, loaded with its curve %.0f ms, another benchmark %.0f ms", paint, ready, next)
	if got := number(t, b, `document.querySelectorAll("#list tbody tr").length`); got != 200 {
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
			open(t, b, page, "")
			askTab(t, b, chromedp.Poll[bool](`document.querySelector("#plot path.level") !== null && document.querySelectorAll("#list svg").length > 0`))
			tabText(t, b, `(document.getElementById("after").click(), "")`)
			picture := askTab(t, b, chromedp.CaptureScreenshot())
			if err := os.WriteFile(filepath.Join(*screenshots, name+"-"+scheme+".png"), picture, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
