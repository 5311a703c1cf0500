package html

// body writes the report without its style and scripts.
func (p *page) body(s *sheet) {
	p.header(s)
	s.put("<main>")
	for _, t := range p.Tables {
		p.table(s, t)
	}
	for _, text := range p.Absent {
		s.put(`<p class="absent">%s</p>`, text)
	}
	s.put(`<p class="method">%s</p>`, p.Method)
	if len(p.Notes) > 0 {
		s.put("\n" + `<section class="part"><h2>Findings</h2>`)
		s.notes(p.Notes)
		s.put("</section>")
	}
	if len(p.Facts) > 0 {
		s.put("\n" + `<section class="part"><h2>Variants and machine</h2><table class="facts"><tbody>`)
		for _, f := range p.Facts {
			s.put("<tr><th>%s</th><td>%s</td></tr>", f.Name, f.Value)
		}
		s.put("</tbody></table></section>")
	}
	if len(p.Commands) > 0 {
		s.put("\n" + `<section class="part"><h2>Again</h2>`)
		for _, command := range p.Commands {
			s.put(`<pre class="command">%s</pre>`, command)
		}
		s.put("</section>")
	}
	s.put("\n</main>\n"+`<div id="details" data-delta="%v">`, p.Delta)
	for _, d := range p.Sections {
		p.detail(s, d)
	}
	s.put("\n</div>\n")
}

func (p *page) header(s *sheet) {
	s.put("<body>\n<header><h1>%s</h1>", p.Title)
	if p.Incomplete {
		s.put(`<p class="warn">This study was interrupted: the numbers are what was known by then.</p>`)
	}
	s.put("\n"+`<p class="headline">%s</p>`, p.Headline)
	if len(p.Tops) > 0 {
		s.put(`<ul class="tops">`)
		for _, t := range p.Tops {
			s.put(`<li><a href="#%s">%s</a> %s</li>`, t.ID, t.Name, t.Text)
		}
		s.put("</ul>")
	}
	s.put("\n" + `<div class="tools" hidden><input type="search" id="filter" placeholder="Filter by name" aria-label="Filter by name">`)
	for _, c := range p.Counts {
		s.put(`<button type="button" class="pick %s" data-v="%s" aria-pressed="false">%d %s</button>`, c.Verdict, c.Verdict, c.N, c.Verdict)
	}
	s.put(`<span id="shown" role="status"></span></div>` + "\n</header>\n")
}

func (p *page) table(s *sheet, t table) {
	s.put("\n" + `<section class="part">`)
	s.given("<h2>%s</h2>", t.Heading)
	s.given("<details><summary>%s</summary>", t.Folded)
	switch {
	case len(t.Rows) > 0:
		p.rows(s, t)
	case t.GeoMean != "":
		s.put("<p>%s: %s</p>", t.Unit, t.GeoMean)
	}
	if t.Folded != "" {
		s.put("</details>")
	}
	s.put("</section>")
}

func (p *page) rows(s *sheet, t table) {
	if p.Compared {
		s.put(`<table class="list compared"><thead><tr><th data-k="name"><span>%s</span></th><th data-k="0"><span>%s</span></th><th data-k="1"><span>%s</span></th>`+
			`<th data-k="2"><span>change</span></th><th>against ±δ</th><th data-k="verdict"><span>verdict</span></th><th data-k="3"><span>p</span></th></tr></thead><tbody>`, t.Unit, t.Old, t.New)
	} else {
		s.put(`<table class="list"><thead><tr><th data-k="name"><span>%s</span></th><th data-k="0"><span>value</span></th><th>interval</th><th data-k="1"><span>spread</span></th></tr></thead><tbody>`, t.Unit)
	}
	for _, r := range t.Rows {
		s.put("\n"+`<tr class="%s" data-s="%s"><td><a href="#%s">%s</a>`, r.Class, r.Sort, r.ID, r.Name)
		if p.Compared {
			s.put("<td>%s<td>%s<td>%s<td>%s<td>%s<td>%s", r.Old, r.New, r.Change, r.Strip, r.Verdict, r.P)
		} else {
			s.put("<td>%s<td>%s<td>%s", r.Value, r.Interval, r.Note)
		}
	}
	s.put("</tbody>")
	s.given(`<tfoot><tr><td colspan="7">%s</td></tr></tfoot>`, t.GeoMean)
	s.put("</table>")
}

func (s *sheet) notes(notes []noteRow) {
	s.put(`<ul class="notes">`)
	for _, n := range notes {
		s.put(`<li class="%s"><b>%s</b> `, n.Severity, n.Severity)
		s.given("<i>%s</i>: ", n.Subject)
		s.put("%s", n.Message)
		s.given(`; <span class="do">%s</span>`, n.Action)
		s.put(" <small>%s</small></li>", n.ID)
	}
	s.put("</ul>")
}

func (p *page) detail(s *sheet, d *detail) {
	s.put("\n"+`<article id="%s"`, d.ID)
	if d.Unit != "" {
		s.put(` data-unit="%s" data-sides="%s"`, d.Unit, d.Sides)
	}
	s.put(`><a class="back" href="#" aria-label="Close">×</a><h2>%s</h2>`, d.Name)
	s.given(`<p class="pkg">%s</p>`, d.Pkg)
	if d.Picture != "" {
		s.put(`<div class="wide %s">%s</div>`, d.Class, d.Picture)
	}
	s.put(`<table class="numbers"><tbody>`)
	for _, l := range d.Lines {
		s.put(`<tr class="%s"><th>%s<td>%s`, l.Class, l.Unit, l.Old)
		if p.Compared {
			s.put("<td>%s<td>%s", l.New, l.Change)
		}
		s.put(`<td>%s<tr class="extra"><td><td colspan="4">%s`, l.Verdict, l.Extra)
	}
	s.put("</tbody></table>")
	if len(d.Notes) > 0 {
		s.notes(d.Notes)
	}
	for _, t := range d.Functions {
		p.functionTable(s, t)
	}
	if len(d.Iterations) > 0 {
		s.put(`<h3>Single iterations, %s</h3><table class="functions"><tbody>`, d.IterationUnit)
		for _, share := range d.Iterations {
			s.put("<tr><td>%s", share[0])
			for _, value := range share[1:] {
				s.put("<td>%s", value)
			}
		}
		s.put("</tbody></table>")
	}
	if d.Raw != "" {
		s.put(`<div class="plots"></div><details><summary>%d rounds, %s</summary>`, d.Rounds, d.Unit)
		s.given("<p>%s</p>", d.RawNote)
		s.put("<p>%s</p>"+`<pre class="raw">`+"\n%s</pre></details>", d.Sides, d.Raw)
	}
	s.given(`<p class="again">Again: <code>%s</code></p>`, d.Again)
	s.put("</article>")
}

func (p *page) functionTable(s *sheet, t functionTable) {
	s.put(`<h3>%s</h3><table class="functions"><tbody>`, t.Title)
	for _, r := range t.Rows {
		s.put("<tr><td>%s <small>%s</small>", r.Name, r.Where)
		if p.Compared {
			s.put("<td>%s", r.Old)
		}
		s.put("<td>%s<td>%s", r.New, r.Change)
	}
	s.put("</tbody></table>")
	s.given(`<pre class="command">%s</pre>`, t.Again)
}
