package html

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/test/studies"
)

// misplaced names what a reader cannot read: a name column that is too narrow, text
// outside of the window or over its neighbor, and a page that is too wide.
const misplaced = `(() => {
	const wrong = [], width = innerWidth, box = node => { const r = document.createRange(); r.selectNodeContents(node); return r.getBoundingClientRect(); };
	const ch = parseFloat(getComputedStyle(document.body).fontSize) / 2.2;
	if (document.documentElement.scrollWidth > width) wrong.push("the page is " + document.documentElement.scrollWidth + " wide");
	for (const tr of document.querySelectorAll("table.list tbody tr")) {
		if (!tr.checkVisibility()) continue;
		const cells = Array.from(tr.cells).filter(td => td.checkVisibility()), name = cells[0].textContent;
		if (cells[0].getBoundingClientRect().width < 20 * ch) wrong.push("the name column of " + name + " is narrower than 20 letters");
		let right = -1, bottom = -1;
		for (const td of cells) {
			const r = box(td);
			if (r.width === 0) continue;
			if (r.right > Math.min(width, td.closest(".part").getBoundingClientRect().right) + 1 || r.left < -1) wrong.push("off-screen: " + td.textContent.trim() + " of " + name);
			if (r.left < right - 1 && r.top < bottom - 1) wrong.push("overlap: " + td.textContent + " of " + name);
			right = r.right, bottom = r.bottom;
		}
	}
	const open = document.querySelector("article:target");
	if (open) for (const node of open.querySelectorAll("h2, .numbers td, .numbers th, .notes li")) {
		const r = box(node);
		if (r.width > 0 && (r.right > width + 1 || r.left < -1)) wrong.push("off-screen in the details: " + node.textContent);
	}
	return wrong.slice(0, 4).join("\n");
})()`

// watchPlots keeps the charts that the page draws from here on.
const watchPlots = `(() => {
	const Plot = uPlot;
	window.plots = [];
	uPlot = function(...args) { const u = new Plot(...args); window.plots.push(u); return u; };
	location.hash = "#b1";
	return document.querySelector("#b1 .plots") ? "some" : "";
})()`

const plotsDrawn = `window.plots.length > 0 && window.plots.every(u => u.axes.every(a => !a.show || a._values))`

// mislabeled names the axes on which two labels are the same, and the distributions
// that begin below zero.
const mislabeled = `window.plots.flatMap(u => {
	const labels = u.axes.filter(a => a.show).map(a => a._values.filter(l => l));
	const wrong = labels.filter(list => new Set(list).size < list.length).map(list => "labels repeat: " + list.join(" "));
	return u.series[0].label === "value" && u.scales.x.min < 0 ? wrong.concat("the distribution begins at " + u.scales.x.min) : wrong;
}).join("\n")`

// sampled is a comparison of files with these times of the first benchmark.
func sampled(seconds func(i int) float64) report.Document {
	d := studies.Compared(studies.Study(3, 12, 12, 1))
	d.Recording = nil
	for variant := range 2 {
		var values []float64
		for i := range 40 {
			values = append(values, seconds(i))
		}
		d.Samples = append(d.Samples, report.Sample{Key: d.Comparison.Benchmarks[0].Key, Unit: "sec/op", Variant: variant, Values: values})
	}
	return d
}

// third adds a variant with the times of the second one, and a long name.
func third(rec *result.Recording) *result.Recording {
	rec.Study.Variants = append(rec.Study.Variants, result.Variant{Label: "feature/replace-the-decoder-by-a-table-of-states", Go: "go1.26.8"})
	for i := range rec.Benchmarks {
		for k := range rec.Benchmarks[i].Blocks {
			block := &rec.Benchmarks[i].Blocks[k]
			block.Processes = append(block.Processes, block.Processes[1])
			for r := range block.Rounds {
				round := &block.Rounds[r]
				round.Order, round.Slices = append(round.Order, 2), append(round.Slices, round.Slices[1])
			}
		}
	}
	return rec
}

// crowded is a comparison whose names and verdicts are long.
func crowded(benchmarks int) report.Document {
	return crowd(studies.Study(benchmarks, 10, 12, 3))
}

func crowd(rec *result.Recording) report.Document {
	for i := range rec.Benchmarks {
		rec.Benchmarks[i].Name = fmt.Sprintf("Decode/format=netstrings/size=%d/compression=zstandard-level-19/goroutines=16", i)
	}
	d := studies.Compared(rec)
	for i := range d.Comparison.Benchmarks {
		b := &d.Comparison.Benchmarks[i]
		switch i % 4 {
		case 0:
			b.Verdict, b.Needed = result.Undecided, 200
			b.Change.Lo, b.Change.Hi = b.Change.Ratio/5, b.Change.Ratio*5
		case 1:
			b.Verdict = result.Failed
		}
		b.Tests = "own"
	}
	return d
}

// TestGeometryInChromium: at four widths every row can be read, also with long
// names, long verdicts, many rows, and failures, and no axis has a label twice.
func TestGeometryInChromium(t *testing.T) {
	t.Parallel() // it waits for Chromium
	b := openBrowser(t, true)
	failed := studies.Compared(studies.Study(6, 10, 12, 1))
	for i := range failed.Comparison.Benchmarks {
		failed.Comparison.Benchmarks[i].Verdict = result.Failed
	}
	skipped := crowded(5)
	for i := range skipped.Comparison.Benchmarks {
		b := &skipped.Comparison.Benchmarks[i]
		b.Verdict, b.Name = result.Skipped, "OfAllNestedTablesAndArraysOfTheDocument"+b.Name
	}
	wide := crowded(5)
	wide.Comparison.Variants[0].Label = "origin/release-branch.go1.26,tags=integration,env=GODEBUG=asyncpreemptoff=1"
	wide.Comparison.Variants[1].Label = "feature/replace-the-decoder-by-a-table-of-states"
	rates := crowded(5)
	for i := range rates.Comparison.Benchmarks {
		b := &rates.Comparison.Benchmarks[i]
		b.NewBytes, b.Blocks = 4096, 0
	}
	for name, d := range map[string]report.Document{
		"rates":         rates,
		"plain":         studies.Compared(studies.Study(14, 16, 12, 1)),
		"long":          crowded(14),
		"two hundred":   crowded(200),
		"long variants": wide,
		"failed":        failed,
		"skipped":       skipped,
		"one":           studies.Compared(studies.Study(1, 12, 12, 1)),
		"few blocks":    studies.Compared(studies.Study(5, 3, 12, 1)),
		"three":         studies.Compared(third(studies.Study(14, 10, 12, 1))),
		"three, long":   crowd(third(studies.Study(14, 10, 12, 3))),
		"narrow":        sampled(func(i int) float64 { return (1000.2 + float64(i%7)/10) * 1e-9 }),
		"from zero":     sampled(func(i int) float64 { return float64(i%9) * 1e-9 }),
		"run":           studies.Measured(studies.RunOf(studies.Study(9, 10, 12, 1))),
	} {
		url := b.load(t, d)
		if text(t, b, watchPlots) != "" {
			b.until(t, plotsDrawn)
			if wrong := text(t, b, mislabeled); wrong != "" {
				t.Errorf("%s:\n%s", name, wrong)
			}
		}
		for _, width := range []int64{1600, 1280, 800, 400} {
			for _, at := range []string{"", "#b1"} {
				b.do(t, chromedp.EmulateViewport(width, 900), chromedp.Navigate("about:blank"), chromedp.Navigate(url+at))
				if wrong := text(t, b, misplaced); wrong != "" {
					t.Errorf("%s%s at %d pixels:\n%s", name, at, width, strings.ReplaceAll(wrong, "\n", "\n  "))
				}
			}
		}
	}
	b.quiet(t)
}
