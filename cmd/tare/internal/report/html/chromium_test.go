package html

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"

	"github.com/tarebench/tare/cmd/tare/internal/lab"
	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/test/studies"
)

// browser is a tab of a headless Chromium.
type browser struct{ *tab }

func openBrowser(t *testing.T, javascript bool) *browser {
	t.Helper()
	return &browser{openTab(t, javascript)}
}

func (b *browser) do(t *testing.T, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	b.Do(t, actions...)
}

func (b *browser) quiet(t *testing.T) {
	t.Helper()
	b.Quiet(t)
}

// busy is the CPU time of the page's main thread, in milliseconds: the time of
// an action on an idle machine.
func (b *browser) busy(t *testing.T) float64 {
	t.Helper()
	now, err := chromedp.Call(b, performance.GetMetrics, cdp.Empty{})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range now.Metrics {
		if m.Name == "TaskDuration" {
			return 1000 * m.Value
		}
	}
	t.Fatal("the browser does not say how busy it was")
	return 0
}

// load writes the report to disk and opens it from there.
func (b *browser) load(t *testing.T, d report.Document) (url string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(render(t, d)), 0o644); err != nil {
		t.Fatal(err)
	}
	b.do(t, chromedp.Navigate("file://"+file))
	return "file://" + file
}

// ask returns the value of an action.
func ask[T any](t *testing.T, b *browser, action chromedp.Action[T]) T {
	t.Helper()
	return askTab(t, b.tab, action)
}

func text(t *testing.T, b *browser, script string) string {
	t.Helper()
	return ask(t, b, chromedp.Evaluate[string](script))
}

const firstNames = `Array.from(document.querySelector("table.list").tBodies[0].rows).filter(r => !r.hidden).slice(0, 3).map(r => r.cells[0].textContent).join(" ")`

func TestReportInChromium(t *testing.T) {
	t.Parallel() // it waits for Chromium
	b := openBrowser(t, true)
	d := studies.Compared(studies.Study(14, 16, 12, 1))
	d.Comparison.Blind = []result.Blind{{NewVariant: 1, Functions: []result.Seen{{Name: "example.com/pkg0.Encode", File: "encode.go", Line: 12, By: result.ByBenchmark, Reached: 1}}}}
	b.load(t, d)

	b.do(t, chromedp.Click(`table.list th[data-k="0"]`))
	if got := text(t, b, firstNames); !strings.HasPrefix(got, "Op1/case=13-2 Encode/size=32k-2") {
		t.Errorf("sorted by change, the first rows are %s", got)
	}
	b.do(t, chromedp.Click(`table.list th[data-k="0"]`))
	if got := text(t, b, firstNames); !strings.HasPrefix(got, "Encode/size=1024k-2 Encode/size=4k-2") {
		t.Errorf("sorted by change downwards, the first rows are %s", got)
	}
	b.do(t, chromedp.SendKeys("#filter", "evil"))
	if got := text(t, b, firstNames); !strings.HasPrefix(got, "Evil/</script><script>alert(1)") || strings.Contains(got, "Encode") {
		t.Errorf("filtered, the rows are %s", got)
	}
	text(t, b, `(() => { const i = document.getElementById("filter"); i.value = ""; i.dispatchEvent(new Event("input")); return "" })()`)
	b.do(t, chromedp.Click("button.pick.slower"))
	if got := text(t, b, firstNames); got != "Encode/size=1024k-2 Encode/size=4k-2" {
		t.Errorf("slower rows are %s", got)
	}

	b.do(t, chromedp.Click(`table.list tr.slower a`), chromedp.WaitVisible("article:target .plots canvas"))
	ask(t, b, chromedp.Poll[bool](`document.querySelectorAll("article:target .plots canvas").length === 4`))
	ask(t, b, chromedp.Poll[bool](`Array.from(document.querySelectorAll("article:target .plots canvas")).every(c => c.width > 100 && new Set(new Uint32Array(c.getContext("2d").getImageData(0, 0, c.width, c.height).data.buffer)).size > 3)`))
	b.do(t, chromedp.Click("article:target .back"))
	if open := text(t, b, `String(document.querySelectorAll("article:target").length)`); open != "0" {
		t.Error("the details did not close")
	}
	b.quiet(t)
}

// drawn waits until the open details show that many charts of the width of their
// panel, with something in each.
func (b *browser) drawn(t *testing.T, n int) {
	t.Helper()
	script := fmt.Sprintf(`(() => {
		const plots = document.querySelector("article:target .plots"), all = Array.from(plots.querySelectorAll("canvas"));
		return all.length === %d && all.every(c => Math.abs(c.clientWidth - plots.clientWidth) < 2 && c.width > 100 && c.toDataURL().length > 2500);
	})()`, n)
	b.until(t, script)
}

// until waits until a script is true.
func (b *browser) until(t *testing.T, script string) {
	t.Helper()
	for end := time.Now().Add(3 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		// While the page is loaded again there is nothing to ask.
		done, err := chromedp.Run(b, chromedp.Evaluate[bool](script))
		if err == nil && done {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("never true: %s: %v", script, err)
		}
	}
}

// TestDeepLinkInChromium: the charts of the details are drawn when the page is
// opened at them, when it is loaded again, and in the size of the window.
func TestDeepLinkInChromium(t *testing.T) {
	t.Parallel() // it waits for Chromium
	b := openBrowser(t, true)
	url := b.load(t, studies.Compared(studies.Study(3, 16, 12, 1)))
	b.do(t, chromedp.Navigate("about:blank"), chromedp.Navigate(url+"#b1"))
	b.drawn(t, 4)
	b.do(t, chromedp.Reload())
	b.drawn(t, 4)
	b.do(t, chromedp.EmulateViewport(500, 900))
	b.drawn(t, 4)
	b.quiet(t)
}

// TestNarrowInChromium: at the width of a phone and on a sheet of A4 paper, the
// name, change and verdict of every row are inside.
func TestNarrowInChromium(t *testing.T) {
	t.Parallel() // it waits for Chromium
	for _, page := range []struct {
		media string
		width int64
	}{{"screen", 390}, {"print", 718}} {
		b := openBrowser(t, true)
		if _, err := chromedp.Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: page.media}); err != nil {
			t.Fatal(err)
		}
		b.do(t, chromedp.EmulateViewport(page.width, 800))
		b.load(t, studies.Compared(studies.Study(14, 16, 12, 1)))
		outside := text(t, b, fmt.Sprintf(`Array.from(document.querySelectorAll("table.list tbody tr")).flatMap(tr => [tr.cells[0], ...tr.querySelectorAll(".key")]).filter(td => {
			const r = td.getBoundingClientRect(), text = document.createRange();
			text.selectNodeContents(td);
			const inner = text.getBoundingClientRect();
			return td.checkVisibility() && (r.width === 0 || inner.right > %d || inner.left < 0) || getComputedStyle(td).display === "none";
		}).map(td => td.textContent).join(", ")`, page.width))
		if outside != "" {
			t.Errorf("%s: outside of %d pixels: %s", page.media, page.width, outside)
		}
		wide := ask(t, b, chromedp.Evaluate[int64](`document.documentElement.scrollWidth`))
		if wide > page.width {
			t.Errorf("%s: the page is %d pixels wide", page.media, wide)
		}
		b.quiet(t)
	}
}

func TestRunReportInChromium(t *testing.T) {
	t.Parallel() // it waits for Chromium
	b := openBrowser(t, true)
	b.load(t, studies.Measured(studies.RunOf(studies.Study(5, 10, 12, 1))))
	b.do(t, chromedp.Click("table.list a"))
	ask(t, b, chromedp.Poll[bool](`document.querySelectorAll("article:target .plots canvas").length === 3`))
	b.quiet(t)
}

// TestFileReportInChromium: the values of benchmark files have no blocks.
func TestFileReportInChromium(t *testing.T) {
	t.Parallel() // it waits for Chromium
	b := openBrowser(t, true)
	d := studies.Compared(studies.Study(3, 12, 12, 1))
	e := d.Evidence()
	d.Recording = nil
	for s, one := range e {
		for v, values := range one.Values {
			d.Samples = append(d.Samples, report.Sample{Key: s.Key, Unit: one.Unit, Variant: v, Values: values})
		}
	}
	b.load(t, d)
	b.do(t, chromedp.Click("table.list a"))
	ask(t, b, chromedp.Poll[bool](`document.querySelectorAll("article:target .plots canvas").length === 3`))
	b.quiet(t)
}

// TestReportWithoutJavaScript: the page has the table, the findings and the
// details, but not the tools that need scripts.
func TestReportWithoutJavaScript(t *testing.T) {
	t.Parallel() // it waits for Chromium
	b := openBrowser(t, false)
	url := b.load(t, studies.Compared(studies.Study(5, 16, 12, 1)))
	page := ask(t, b, chromedp.Text("main"))
	for _, want := range []string{"Encode/size=4k-2", "slower", "same within 2%", "shared-machine", "AMD EPYC"} {
		if !strings.Contains(page, want) {
			t.Errorf("without JavaScript, the page lacks %q", want)
		}
	}
	if box := ask(t, b, chromedp.Dimensions("table.list")); box.Height == 0 {
		t.Error("without JavaScript, the table is not visible")
	}
	// The link's address has the effect of the link; a click waits for scripts.
	b.do(t, chromedp.Navigate(url+"#b1"))
	if box := ask(t, b, chromedp.Dimensions("article:target")); box.Height == 0 {
		t.Error("without JavaScript, the details do not open")
	}
	details := ask(t, b, chromedp.Text("article:target"))
	for _, want := range []string{"sec/op", "faster", " µs"} {
		if !strings.Contains(details, want) {
			t.Errorf("without JavaScript, the details lack %q:\n%s", want, details)
		}
	}
	b.quiet(t)
}

// TestLargeReportInChromium logs the times of the largest report, medians of 9.
// It asserts only that the browser displays it, because a loaded machine has no
// fixed pace.
func TestLargeReportInChromium(t *testing.T) {
	lab.Only(t, "opens a report of 1,000 benchmarks in Chromium")
	b := openBrowser(t, true)
	b.load(t, studies.Large())
	ask(t, b, chromedp.Poll[bool](`performance.getEntriesByName("first-contentful-paint").length > 0`))
	paint := ask(t, b, chromedp.Evaluate[float64](`performance.getEntriesByName("first-contentful-paint")[0].startTime`))
	// Each figure ends when the next frame is drawn, because a reader waits for
	// that. Layout alone would omit the rows that come into view.
	if _, err := chromedp.Call(b, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks}); err != nil {
		t.Fatal(err)
	}
	const turns = 9
	timed := func(act string) string {
		var all []float64
		before := b.busy(t)
		for range turns {
			all = append(all, ask(t, b, chromedp.Evaluate[float64](`new Promise(done => requestAnimationFrame(() => {
				const t = performance.now(); (() => { `+act+` })();
				requestAnimationFrame(() => setTimeout(() => done(performance.now() - t)));
			}))`, chromedp.EvalAwaitPromise)))
		}
		slices.Sort(all)
		return fmt.Sprintf("%.0f ms (%.0f to %.0f; %.0f of the processor)", all[turns/2], all[0], all[turns-1], (b.busy(t)-before)/float64(turns))
	}
	sort := timed(`document.querySelector('th[data-k="0"]').click()`)
	filter := timed(`const i = document.getElementById("filter"); i.value = i.value === "" ? "case=77" : ""; i.dispatchEvent(new Event("input"))`)
	t.Logf("1,000 benchmarks × 200 rounds: first paint %.0f ms, sort %s, filter %s", paint, sort, filter)
	if got := text(t, b, `document.getElementById("shown").textContent`); !strings.Contains(got, " of ") {
		t.Errorf("filtered: %q", got)
	}
	b.quiet(t)
}

var (
	screenshots = flag.String("screenshots", "", "write screenshots of the report into this folder")
	studyFile   = flag.String("study", "", "the result.jsonl to show in the screenshots; made up when empty")
)

// TestScreenshots makes the screenshots of docs/report.md: docs/images/make.sh
// calls it.
func TestScreenshots(t *testing.T) {
	if *screenshots == "" {
		t.Skip("writes pictures with -screenshots DIR")
	}
	rec := studies.Study(14, 16, 12, 1)
	if *studyFile != "" {
		f, err := os.Open(*studyFile)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if rec, err = result.Read(f); err != nil {
			t.Fatal(err)
		}
	}
	d := studies.Compared(rec)
	if rec.Study.Kind == "run" {
		d = studies.Measured(rec)
	}
	for _, scheme := range []string{"light", "dark"} {
		b := openBrowser(t, true)
		if _, err := chromedp.Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}); err != nil {
			t.Fatal(err)
		}
		b.load(t, d)
		save := func(name string, picture []byte) {
			if err := os.WriteFile(filepath.Join(*screenshots, name+"-"+scheme+".png"), picture, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		save("report", ask(t, b, chromedp.CaptureScreenshot()))
		text(t, b, `(() => { (document.querySelector("tr.slower a") || document.querySelector("tr.faster a") || document.querySelector("table.list a")).click(); return "" })()`)
		ask(t, b, chromedp.Poll[bool](`document.querySelectorAll("article:target .plots canvas").length >= 3`))
		b.do(t, chromedp.EmulateViewport(1240, 1500), chromedp.Sleep(300*time.Millisecond))
		save("details", ask(t, b, chromedp.CaptureScreenshot()))
	}
}
