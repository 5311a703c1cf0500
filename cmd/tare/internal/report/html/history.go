package html

import (
	_ "embed"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/history"
	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/unit"
)

//go:embed assets/history.css
var historyStyle string

// WriteHistory writes a history as a page: one file without scripts, with the
// level, the curve and the changes of every benchmark.
func WriteHistory(w io.Writer, h report.History) error {
	changes := 0
	for _, s := range h.Series {
		changes += len(s.Changes)
	}
	return frame{title: "History", style: historyStyle}.write(w, func(p *sheet) {
		p.put("<body>\n<header><h1>History</h1>\n"+`<p class="headline">%s, %s, %s.</p>`, words.Plural(h.Graph.Line, "commit"), words.Plural(len(h.Series), "benchmark"), words.Plural(changes, "change"))
		if len(h.Graph.Commits) > 0 {
			p.put(`<p class="method">Levels are relative to %s, with intervals of 95%%. They are sums of comparisons of commits in lockstep, so that a new machine or method leaves no step. `+
				`Each change was confirmed by comparing a commit with its parent again. Of all changes that a history ever reports, at most 5%% are false in expectation.</p>`, report.CommitWords(h.Graph.Commits[h.Reference]))
		}
		for _, s := range h.Skipped {
			p.put(`<p class="warn">%s</p>`, "not read: "+s.Name+": "+s.Err.Error())
		}
		p.put("\n</header>\n<main>\n" + `<table><thead><tr><th scope="col">Benchmark</th><th scope="col">Level now</th><th scope="col">Curve</th><th scope="col">Changes, the latest first</th></tr></thead><tbody>`)
		for _, s := range h.Series {
			p.historyRow(h, s)
		}
		p.put("\n</tbody></table>\n</main>\n")
	})
}

func (p *sheet) historyRow(h report.History, s history.Series) {
	level := "not connected"
	for k := range h.Graph.Line {
		if words.Known(s.Level[k]) {
			level = report.LevelWords(s, k)
		}
	}
	p.put("\n<tr><td>%s <small>%s</small></td><td>%s</td><td>%s</td><td>", report.SeriesName(s.Key), s.Pkg, level, historyCurve(h, s))
	for _, c := range slices.Backward(s.Changes) {
		class, at := "slower", h.Graph.Commits[c.At]
		switch better := unit.Better(s.Unit); {
		case better == unit.Unknown:
			class = "changed"
		case (c.LogRatio > 0) == (better == unit.HigherIsBetter):
			class = "faster"
		}
		p.put(`<p><b class="%s">%s</b> %s`, class, report.StepWords(c.LogRatio, c.Lo, c.Hi), report.CommitWords(at))
		if !at.Time.IsZero() {
			p.put(" <small>%s</small>", at.Time.UTC().Format("2006-01-02"))
		}
		p.put("</p>")
	}
	if n := len(s.Candidates); n > 0 {
		p.put("<p>%s to measure: tare history record</p>", words.Plural(n, "candidate"))
	}
	if n := len(report.Apart(h, s)); n > 0 {
		p.put("<p>%s not connected</p>", words.Plural(n, "commit"))
	}
	p.put("</td></tr>")
}

// historyCurve draws the levels of the commits with their intervals. Circles
// mark changes. Its markup contains only numbers.
func historyCurve(h report.History, s history.Series) markup {
	const width, height, edge = 360, 64, 6
	lo, hi := -0.01, 0.01
	half := func(k int) float64 { return 1.96 * s.SD[k] }
	for k := range h.Graph.Line {
		if words.Known(s.Level[k]) {
			lo, hi = min(lo, s.Level[k]-half(k)), max(hi, s.Level[k]+half(k))
		}
	}
	x := func(k int) float64 { return edge + (width-2*edge)*float64(k)/math.Max(1, float64(h.Graph.Line-1)) }
	y := func(v float64) float64 { return edge + (height-2*edge)*(hi-v)/(hi-lo) }
	var intervals, line, marks strings.Builder
	for k := range h.Graph.Line {
		if v := s.Level[k]; words.Known(v) {
			fmt.Fprintf(&intervals, "M%.1f %.1fV%.1f", x(k), y(v-half(k)), y(v+half(k)))
			fmt.Fprintf(&line, "%.1f,%.1f ", x(k), y(v))
		}
	}
	for _, c := range s.Changes {
		if c.At < h.Graph.Line && words.Known(s.Level[c.At]) {
			fmt.Fprintf(&marks, `<circle cx="%.1f" cy="%.1f" r="4"/>`, x(c.At), y(s.Level[c.At]))
		}
	}
	return markup(fmt.Sprintf(`<svg viewBox="0 0 %d %d" aria-hidden="true"><path class="zero" d="M0 %.1fH%d"/><path class="interval" d="%s"/><polyline points="%s"/>%s</svg>`,
		width, height, y(0), width, &intervals, &line, &marks))
}
