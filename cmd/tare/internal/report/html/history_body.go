package html

// body writes the history without its style, numbers and script.
func (p *historyPage) body(s *sheet) {
	s.put("<body>\n<header><h1>%s</h1>\n"+`<p class="headline">%s</p>`, p.Title, p.Headline)
	s.given(`<p class="method">Levels are relative to %s, with intervals of 95%%. They are solved from comparisons of commits in lockstep, so that a new machine or method leaves no step. `+
		`Each change was confirmed by comparing a commit with its parent again. Of all changes that a history ever reports, at most 5%% are false in expectation.</p>`, p.Reference)
	for _, text := range p.Notes {
		s.put(`<p class="warn">%s</p>`, text)
	}
	s.put("\n</header>\n<main>\n" + historyChart)
	if len(p.Rows) > 0 {
		s.put("\n" + `<section aria-labelledby="all"><h2 id="all">Benchmarks</h2>
<p class="tools" id="tools" hidden><input type="search" id="filter" placeholder="Filter by name" aria-label="Filter by name"><button type="button" id="changed" aria-pressed="false">with changes</button><span id="shown" role="status"></span></p>
<table class="list" id="list"><thead><tr><th scope="col">Benchmark</th><th scope="col">Level now</th><th scope="col" class="curve">Curve</th><th scope="col">Changes</th></tr></thead><tbody>`)
		for _, r := range p.Rows {
			s.put("\n"+`<tr id="%s" class="%s"><td><a href="#%s">%s</a> <small>%s</small></td><td>%s</td><td class="curve"></td><td>`, r.ID, r.Class, r.ID, r.Name, r.Pkg, r.Level)
			if r.Changes > 0 {
				s.put("%d", r.Changes)
			}
			s.put("</td></tr>")
		}
		s.put("\n</tbody></table></section>")
	}
	if len(p.Changes) > 0 {
		s.put("\n" + `<section aria-labelledby="changes"><h2 id="changes">Changes, the latest first</h2>
<table class="changes"><thead><tr><th scope="col">Commit</th><th scope="col">Benchmark</th><th scope="col">Change</th></tr></thead><tbody>`)
		for _, c := range p.Changes {
			s.put("\n"+`<tr class="%s"><td>`, c.Class)
			s.given(`<a href="%s" rel="noreferrer">`, c.Link)
			s.put("%s", c.Hash)
			if c.Link != "" {
				s.put("</a>")
			}
			s.put(` %s <small>%s</small></td><td><a href="#%s">%s</a></td><td>%s</td></tr>`, c.Subject, c.Day, c.ID, c.Name, c.Text)
		}
		s.put("\n</tbody></table></section>")
	}
	s.put("\n</main>\n")
}

// historyChart is the element into which the script draws.
const historyChart = `<section id="chart" aria-labelledby="which" hidden>
<h2 id="which" tabindex="-1"></h2>
<div id="plot" tabindex="0" role="application" aria-roledescription="chart"></div>
<p id="readout" role="status"></p>
<p class="tools"><button type="button" id="in">Zoom in</button><button type="button" id="out">Zoom out</button><button type="button" id="whole">Show all</button>
<button type="button" id="before">Previous change</button><button type="button" id="after">Next change</button></p>
<p class="method" id="keys">Drag to zoom. Keys: ← → move, with Shift by ten; Home, End; + and − zoom; Page Up and Page Down go to the changes; Escape shows all.</p>
<ul id="remarks"></ul>
</section>`
