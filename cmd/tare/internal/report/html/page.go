// Package html writes reports and histories as pages of one file.
package html

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/finding"
)

// The report is one file: style, script and uPlot (MIT, assets/uplot-LICENSE.txt)
// are embedded, and the content security policy allows exactly these by hash.
var (
	//go:embed assets/uplot-1.6.32.min.js
	uplotScript string
	//go:embed assets/uplot-1.6.32.min.css
	uplotStyle string
	//go:embed assets/report.css
	reportStyle string
	//go:embed assets/report.js
	reportScript string
)

// Write writes the report: a single file that needs no network, works from
// disk, and is readable without JavaScript. It has the tables of the text, the
// change of every row as a strip, and for each benchmark its rounds, from which
// the script draws.
func Write(w io.Writer, d report.Document) error {
	p := &page{d: d, evidence: d.Evidence(), details: make(map[report.Subject]*detail)}
	if !d.Comparison.IsRun() {
		p.axis = newStripAxis(d.Comparison)
	}
	f := frame{title: d.Title(), style: uplotStyle + reportStyle + p.axis.style(), scripts: []string{uplotScript, reportScript}}
	if err := f.write(w, p.write); err != nil {
		return fmt.Errorf("write HTML report: %w", err)
	}
	return nil
}

type page struct {
	d        report.Document
	axis     stripAxis
	evidence map[report.Subject]*report.Evidence
	details  map[report.Subject]*detail
	order    []*detail
}

type detail struct {
	id, name, pkg string
	rows          sheet // from all tables
	notes         []report.Note
	evidence      *report.Evidence
}

func (p *page) of(s report.Subject) *detail {
	if d := p.details[s]; d != nil {
		return d
	}
	d := &detail{id: fmt.Sprintf("b%d", len(p.order)+1), name: s.Name(), pkg: s.Pkg, evidence: p.evidence[s]}
	p.details[s] = d
	p.order = append(p.order, d)
	return d
}

func (p *page) write(s *sheet) {
	p.header(s)
	s.put("<main>")
	all, spanning := p.d.Sections()
	last := ""
	for _, part := range all {
		heading := strings.TrimSpace(part.Pkg + " " + words.Config(part.Config))
		s.put("\n" + `<section class="part">`)
		if heading != last {
			s.given("<h2>%s</h2>", heading)
		}
		last = heading
		if len(part.Shown) > 0 {
			p.table(s, part)
		}
		if len(part.Folded) > 0 {
			folded := *part
			folded.Shown, folded.Mean = part.Folded, nil
			s.put("<details><summary>%s</summary>", part.FoldedWords(p.d.Comparison.Delta))
			p.table(s, &folded)
			s.put("</details>")
		}
		s.put("</section>")
	}
	for _, g := range spanning {
		s.put("<p>%s: %s</p>", g.Unit, words.Mean(&g))
	}
	for _, line := range p.d.Absent() {
		s.put(`<p class="absent">%s</p>`, line.Text)
	}
	s.given(`<p class="method">%s</p>`, methodWords(p.d.Comparison))
	if notes := p.d.Notes(); len(notes) > 0 {
		s.put("\n" + `<section class="part"><h2>Findings</h2>`)
		s.notes(notes)
		s.put("</section>")
	}
	p.blind(s)
	p.facts(s)
	s.put("\n</main>\n"+`<div id="details" data-delta="%v">`, p.d.Comparison.Delta)
	for _, d := range p.order {
		p.detail(s, d)
	}
	s.put("\n</div>\n")
}

func (p *page) blind(s *sheet) {
	if len(p.d.Comparison.Blind) == 0 {
		return
	}
	s.put("\n" + `<section class="part"><h2>Changed functions</h2>`)
	for _, line := range p.d.BlindLines() {
		s.put("<p>%s</p>", words.Printable(line))
	}
	for _, b := range p.d.Comparison.Blind {
		if len(b.Functions) == 0 {
			continue
		}
		head, rows := report.BlindCells(b)
		s.put(`<table class="list blind"><thead><tr>`)
		for _, h := range head {
			s.put("<th>%s", h)
		}
		s.put("<th>share of its benchmark</tr></thead><tbody>")
		for i, row := range rows {
			s.put("\n<tr>")
			for _, cell := range row {
				s.put("<td>%s", cell)
			}
			s.put("<td>%s", shareBar(b.Functions[i]))
		}
		s.put("</tbody></table>")
	}
	s.put("</section>")
}

// shareBar draws the share of a function with its interval. Its markup contains
// only numbers.
func shareBar(f result.Seen) markup {
	if len(f.Benchmarks) == 0 {
		return ""
	}
	share := f.Benchmarks[0].Share
	return markup(fmt.Sprintf(`<svg class=bar width=%d height=%d aria-hidden=true><rect width="%.1f" height=%d /><path d="M%.1f %dH%.1f"/></svg>`,
		stripWidth, stripHeight, share.Center*stripWidth, stripHeight, share.Lo*stripWidth, stripHeight/2, share.Hi*stripWidth))
}

func (p *page) header(s *sheet) {
	s.put("<body>\n<header><h1>%s</h1>", p.d.Title())
	if p.d.Comparison.Incomplete {
		s.put(`<p class="warn">This study was interrupted: the numbers are from the finished blocks.</p>`)
	}
	headline, counts := words.Tally(p.d.Comparison), words.Counts(p.d.Comparison)
	if p.d.Comparison.IsRun() {
		headline, counts = words.Plural(len(p.d.Subjects()), "benchmark"), nil
	}
	s.put("\n"+`<p class="headline">%s</p>`, headline)
	s.put("\n" + `<div class="tools" hidden><input type="search" id="filter" placeholder="Filter by name" aria-label="Filter by name">`)
	for _, c := range counts {
		s.put(`<button type="button" class="pick %s" data-v="%s" aria-pressed="false">%d %s</button>`, string(c.Verdict), string(c.Verdict), c.N, c.Word)
	}
	s.put(`<span id="shown" role="status"></span></div>` + "\n</header>\n")
}

// sorted maps the columns that a click on their heads sorts by to their place
// among the numbers of a row.
var sorted = map[string]string{"change": "0", "value": "0", "spread": "1", "verdict": "verdict"}

func (p *page) table(s *sheet, part *report.Section) {
	head, rows := p.d.Cells(part)
	names := make([]string, len(part.Shown))
	for i := range names {
		names[i] = rows[i][0]
	}
	path := report.CommonPath(names)
	s.put(`<table class="list"><thead><tr>`)
	for i, h := range head {
		key, help := sorted[h], markup("")
		if i == 0 {
			key, help = "name", titleOf(part.Unit)
		}
		if key == "" {
			s.put(`<th class="%s">%s</th>`, p.columnClass(h), h)
		} else {
			s.put(`<th class="key" data-k="%s"%s><span>%s</span>`, key, help, h)
		}
		if i == 0 && path != "" {
			s.put(" <span>%s</span>", breaking(path))
		}
	}
	if !p.d.Comparison.IsRun() {
		s.put(`<th class="axis">against ±δ</th>`)
	}
	s.put("</tr></thead><tbody>")
	for i, b := range part.Shown {
		class, numbers, strip := string(b.Verdict), sortNumber(b.Change.Ratio), markup("")
		if p.d.Comparison.IsRun() {
			class, numbers = cmp.Or(class, b.Band), sortNumber(b.New.Center)+"|"+sortNumber(b.Spread)
		} else {
			strip = p.axis.strip(b.Change)
		}
		rows[i][0] = strings.TrimPrefix(rows[i][0], path)
		p.row(s, p.of(report.SubjectOf(b)), class, numbers, rows[i], strip, head, b.Findings)
	}
	s.put("</tbody>")
	for _, mean := range rows[len(part.Shown):] {
		s.put("<tfoot><tr>")
		for i, cell := range mean {
			s.put(`<td class="%s">%s`, p.columnClass(head[i]), cell)
		}
		s.put("</tfoot>")
	}
	s.put("</table>")
}

// titleOf is the attribute that says what a unit is.
func titleOf(unit string) markup {
	help := result.HelpOn(unit)
	if help == "" {
		return ""
	}
	return markup(` title="` + plain(help) + `"`)
}

// columnClass tells the style which columns a phone shows (key), and which only the
// details of a comparison have (more).
func (p *page) columnClass(column string) string {
	switch {
	case sorted[column] != "":
		return "key"
	case !p.d.Comparison.IsRun() && (column == "rate" || column == "n"):
		return "more"
	}
	return ""
}

func (p *page) row(s *sheet, to *detail, class, numbers string, cells []string, strip markup, head []string, findings []finding.Finding) {
	s.put("\n"+`<tr class="%s" data-s="%s"><td><a href="#%s">%s</a>`, class, numbers, to.id, breaking(cells[0]))
	to.rows.put(`<tr class="%s"><th>%s`, class, head[0])
	for i, cell := range cells[1:] {
		column := head[i+1]
		word, notes, class := cell, "", p.columnClass(column)
		if column == "verdict" { // one word, with its notes below it
			word, notes, _ = strings.Cut(cell, "; ")
			class = "key verdict"
		}
		s.put(`<td class="%s">%s`, class, word)
		s.given("<small>%s</small>", notes)
		if cell != "" {
			to.rows.put("<td><small>%s</small> %s", column, word)
			to.rows.given("<small>%s</small>", notes)
		}
	}
	if !p.d.Comparison.IsRun() {
		s.put(`<td class="axis">%s`, strip)
	}
	for _, f := range findings {
		if !slices.ContainsFunc(to.notes, func(o report.Note) bool { return o.Finding.String() == f.String() }) {
			to.notes = append(to.notes, report.Note{Finding: f})
		}
	}
}

func breaking(name string) markup {
	return markup(strings.ReplaceAll(plain(name), "/", "/<wbr>"))
}

func (s *sheet) notes(notes []report.Note) {
	s.put(`<ul class="notes">`)
	for _, n := range report.OneStep(notes) {
		s.put(`<li class="%s"><b>%s</b> `, n.Severity.String(), n.Severity.String())
		s.given("<i>%s</i>: ", words.List(n.Subjects))
		for i, line := range strings.Split(words.PrintableLines(n.Message), "\n") { // it may quote a compiler
			if i > 0 {
				s.put("<br>")
			}
			s.put("%s", line)
		}
		s.given(`; <span class="do">%s</span>`, n.Action)
		s.put(" <small>%s</small></li>", n.ID)
	}
	s.put("</ul>")
}

func (p *page) detail(s *sheet, d *detail) {
	s.put("\n"+`<article id="%s"`, d.id)
	var raw, note string
	if d.evidence != nil {
		var sides []string
		for v := range d.evidence.Values {
			sides = append(sides, plain(words.Label(p.d.Comparison.Variants, v)))
		}
		var unit string
		if unit, raw, note = rawText(d.evidence); raw != "" {
			s.put(` data-unit="%s" data-sides="%s"`, unit, markup(strings.Join(sides, "\t")))
		}
	}
	s.put(`><a class="back" href="#" aria-label="Close">×</a><h2>%s</h2>`, d.name)
	s.given(`<p class="pkg">%s</p>`, d.pkg)
	s.put(`<table class="numbers"><tbody>%s</tbody></table>`, markup(d.rows.String()))
	if len(d.notes) > 0 {
		s.notes(d.notes)
	}
	if d.evidence != nil {
		s.iterations(d.evidence.Iterations)
	}
	if raw != "" {
		s.put(`<div class="plots"></div><details><summary>%d rounds</summary>`, len(d.evidence.Values[0]))
		s.given("<p>%s</p>", note)
		s.put(`<pre class="raw">`+"\n%s</pre></details>", markup(raw))
	}
	s.put("</article>")
}

func (s *sheet) iterations(its report.Iterations) {
	if len(its.Shares) == 0 {
		return
	}
	scale := its.Scale()
	s.put(`<h3>Single iterations, %s</h3><table class="numbers"><tbody>`, scale.Label("sec/op"))
	for _, share := range its.Shares {
		s.put("<tr><td>%s", share.Name)
		for _, value := range share.Values {
			s.put("<td>%s", scale.Format(value))
		}
	}
	s.put("</tbody></table>")
}

func methodWords(c *result.Comparison) string {
	if c.IsRun() {
		return ""
	}
	return fmt.Sprintf("Change is new over old less one, with its %s interval. “Same” means that the whole interval is inside the band of ±%s. “Undecided” means that these data do not decide it, not that nothing changed.",
		words.Percent(1-c.Alpha), words.Percent(c.Delta))
}

func sortNumber(v float64) string {
	if !words.Known(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

func (p *page) facts(s *sheet) {
	s.put("\n" + `<section class="part"><h2>Variants and machine</h2><table class="facts"><tbody>`)
	add := func(name, value string) {
		if value != "" {
			s.put("<tr><th>%s</th><td>%s</td></tr>", name, value)
		}
	}
	for _, v := range p.d.Comparison.Variants {
		add("variant", words.Variant(v)+" "+strings.Join(v.Files, " "))
	}
	add("configuration", words.Config(p.d.Comparison.Config))
	if m := p.d.Comparison.Machine; m != nil {
		add("machine", words.Machine(*m))
		add("go", words.Config(m.Go))
	}
	if r := p.d.Recording; r != nil {
		add("measured", r.Study.Created.UTC().Format("2006-01-02 15:04 MST")+", seed "+strconv.FormatUint(r.Study.Seed, 10))
	}
	if command := p.d.MadeBy(); command != nil {
		add("command", words.Shell(command))
	}
	add("kept in", p.d.Comparison.Folder)
	s.put("</tbody></table></section>")
}
