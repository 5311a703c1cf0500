package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/unit"
)

// page is what the template shows: every string is plain text that the
// template escapes, except the pictures, which are made of numbers.
type page struct {
	Title      string
	Compared   bool
	Incomplete bool
	Headline   string
	Counts     []count
	Tops       []top
	Tables     []table
	Sections   []*detail
	Facts      []fact
	Notes      []noteRow
	Commands   []string
	Method     string
	Delta      float64
	axis       stripAxis
}

type count struct {
	Verdict string
	N       int
}

type top struct {
	ID   string
	Name string
	Text string
}

type table struct {
	Heading, Old, New string
	Unit              string
	Rows              []row
	GeoMean           string
	// Folded says that every row is identical: nothing to read.
	Folded bool
}

// row is one line of a table; Sort has the numbers it is sorted by.
type row struct {
	ID, Name, Class       string
	Old, New, Change      string
	Verdict, P            string
	Value, Interval, Note string
	Strip                 template.HTML
	Sort                  string
}

// detail is all about one benchmark.
type detail struct {
	ID, Name, Pkg string
	Class         string
	Lines         []line
	Notes         []noteRow
	Functions     []functionTable
	Again         string
	Picture       template.HTML
	Sides         string
	Unit          string
	Factor        float64
	Raw           string
	RawNote       string
	Rounds        int
}

type line struct{ Unit, Class, Old, New, Change, Verdict, Extra string }

type fact struct{ Name, Value string }

type noteRow struct{ Severity, Subject, Message, Action, ID string }

func newPage(d Document) *page {
	p := &page{Title: printable(d.title()), Compared: d.Comparison != nil}
	evidence := d.evidences()
	details := make(map[subject]*detail)
	detailOf := func(k subject) *detail {
		if s := details[k]; s != nil {
			return s
		}
		s := &detail{ID: fmt.Sprintf("b%d", len(p.Sections)+1), Name: printable(k.name()), Pkg: printable(k.Pkg)}
		if command := d.commandFor(k.Key); command != nil {
			s.Again = shellWords(command)
		}
		if e := evidence[k]; e != nil {
			s.show(e, d.variants())
		}
		details[k] = s
		p.Sections = append(p.Sections, s)
		return s
	}
	if d.Comparison != nil {
		p.comparison(d.Comparison, detailOf)
	} else if d.Run != nil {
		p.run(d.Run, detailOf)
	}
	p.functions(d, detailOf)
	p.facts(d)
	if command := d.command(); command != nil {
		p.Commands = append(p.Commands, shellWords(command))
	}
	if folder := d.folder(); folder != "" {
		p.Commands = append(p.Commands, shellWords([]string{"tare", "show", "-format", "html", "-o", "report.html", folder}))
	}
	return p
}

func (p *page) comparison(c *result.Comparison, detailOf func(subject) *detail) {
	p.Incomplete, p.Delta = c.Incomplete, c.Delta
	s := c.Summary
	for _, v := range []count{{"slower", s.Slower}, {"faster", s.Faster}, {"same", s.Same}, {"undecided", s.Undecided}, {"failed", s.Failed}} {
		if v.N > 0 {
			p.Counts = append(p.Counts, v)
		}
	}
	p.Headline = headline(c)
	p.Method = methodWords(c)
	p.axis = newStripAxis(c)
	all, spanning := sections(c)
	for _, part := range all {
		p.Tables = append(p.Tables, p.comparisonTable(c, part, detailOf))
	}
	for _, g := range spanning {
		p.Tables = append(p.Tables, table{Heading: "all", Unit: g.Unit, GeoMean: geoMeanWords(&g)})
	}
	p.headings()
	p.Tops = p.tops(c, detailOf)
	for _, n := range comparisonNotes(c) {
		p.Notes = append(p.Notes, noteRow{string(n.Severity), printable(subjectWords(n.subjects)), printable(n.Message), printable(n.Action), n.ID})
	}
}

// headings says a package once, above the first of its tables.
func (p *page) headings() {
	last := ""
	for i := range p.Tables {
		if t := &p.Tables[i]; t.Heading == last {
			t.Heading = ""
		} else {
			last = t.Heading
		}
	}
}

func (p *page) comparisonTable(c *result.Comparison, part *section, detailOf func(subject) *detail) table {
	t := table{Unit: printable(part.unit), Old: printable(label(c.Variants, part.oldVar)), New: printable(label(c.Variants, part.newVar))}
	t.Heading = printable(strings.TrimSpace(strings.Join([]string{part.pkg, configWords(part.config)}, " ")))
	for _, b := range part.rows {
		s := detailOf(comparedSubject(b))
		scale := scaleOf(b.Unit, b.Old.Center, b.New.Center)
		r := row{ID: s.ID, Name: printable(rowName(b.Key, b.Row)), Class: string(b.Verdict), P: probability(b.P)}
		r.Old, r.New = estimateText(b.Old, scale), estimateText(b.New, scale)
		if known(b.Change.Ratio) || b.Change.Difference != nil {
			r.Change = changeParts(b)[0]
		}
		r.Verdict = Verdict(b, c.Delta)
		if !b.Exact || b.Verdict != result.Same { // identical needs no picture
			r.Strip = p.axis.strip(b.Change)
		}
		r.Sort = fmt.Sprintf("%s|%s|%s|%s", sortNumber(b.Old.Center), sortNumber(b.New.Center), sortNumber(b.Change.Ratio), sortPointer(b.P))
		t.Rows = append(t.Rows, r)
		extra := Sentence(b, c.Delta)
		if b.Blocks > 0 {
			extra += fmt.Sprintf(" · %s, %s, %s", plural(b.Blocks, "block"), plural(b.Rounds, "round"), seconds(b.Seconds))
		} else {
			extra += fmt.Sprintf(" · n %s", samples(b.Old.N, b.New.N))
		}
		if words := bothRuntimes(b.OldRuntime, b.NewRuntime); words != "" {
			extra += " · " + words
		}
		s.Lines = append(s.Lines, line{t.Unit, r.Class, rangeText(b.Old, scale, b.Unit), rangeText(b.New, scale, b.Unit), r.Change, r.Verdict, strings.TrimSuffix(extra, ", ")})
		if b.Unit == "sec/op" || s.Class == "" {
			s.Picture, s.Class = p.axis.wide(b.Change), string(b.Verdict)
		}
		s.addNotes(b.Findings)
	}
	t.Folded = len(part.rows) > 1 && !slices.ContainsFunc(part.rows, func(b *result.BenchmarkComparison) bool {
		return b.Verdict != result.Same || !b.Exact
	})
	if part.geomean != nil && len(part.rows) > 1 && !t.Folded {
		t.GeoMean = geoMeanWords(part.geomean)
	}
	return t
}

func (p *page) run(r *result.Run, detailOf func(subject) *detail) {
	p.Incomplete = r.Incomplete
	failed, unstable := 0, 0
	seen := make(map[subject]bool)
	for _, part := range runSections(r) {
		t := table{Unit: printable(part.unit)}
		t.Heading = printable(strings.TrimSpace(strings.Join([]string{part.pkg, configWords(part.config)}, " ")))
		for _, m := range part.rows {
			name := rowName(m.Key, m.Row)
			s := detailOf(measuredSubject(m))
			scale := scaleOf(m.Unit, m.Value.Center)
			line := row{ID: s.ID, Name: printable(name), Class: m.Band, Note: printable(m.Band)}
			if m.Failed != "" {
				failed++
				line.Class, line.Note = "failed", "failed: "+printable(m.Failed)
			} else {
				line.Value = estimateText(m.Value, scale)
				line.Interval = intervalText(m.Value, scale)
				if m.Exact {
					line.Interval = "exact"
				}
			}
			if m.Band == "unstable" && m.Unit == "sec/op" {
				unstable++
			}
			if m.Spread > 0 {
				line.Note = spreadPercent(m.Spread) + " " + line.Note
			}
			line.Sort = fmt.Sprintf("%s|%s||", sortNumber(m.Value.Center), sortNumber(m.Spread))
			t.Rows = append(t.Rows, line)
			s.Lines = append(s.Lines, lineOfRun(m, t.Unit, line, scale))
			s.addNotes(m.Findings)
			seen[measuredSubject(m)] = true
		}
		p.Tables = append(p.Tables, t)
	}
	p.headings()
	p.Headline = fmt.Sprintf("%s measured", plural(len(seen)-failed, "benchmark"))
	if failed > 0 {
		p.Headline += fmt.Sprintf(", %d failed", failed)
	}
	if unstable > 0 {
		p.Headline += fmt.Sprintf("; %d unstable: see the findings before using the numbers", unstable)
	}
	p.Headline += "."
	p.Method = "A value is the centre of the blocks with its 95 % interval; the weight of the clock is taken off. Spread is half the middle half of the blocks relative to the centre."
	for _, n := range runNotes(r) {
		p.Notes = append(p.Notes, noteRow{string(n.Severity), printable(subjectWords(n.subjects)), printable(n.Message), printable(n.Action), n.ID})
	}
}

func lineOfRun(m *result.Measurement, u string, r row, scale unit.Scale) line {
	var extra []string
	for _, q := range []string{"min", "p25", "p50", "p75", "p90", "max"} {
		if v, ok := m.Quantiles[q]; ok && known(v) && !m.Exact {
			extra = append(extra, q+" "+scale.Format(v))
		}
	}
	if m.Overhead.Hi > 0 {
		o := scaleOf(m.Unit, m.Overhead.Hi)
		extra = append(extra, fmt.Sprintf("taken off %s to %s %s per op, raw %s", o.Format(m.Overhead.Lo), o.Format(m.Overhead.Hi), o.Symbol, scale.Format(m.Raw)))
	}
	if m.Blocks > 0 {
		extra = append(extra, fmt.Sprintf("%s, %s", plural(m.Blocks, "block"), plural(m.Rounds, "round")))
	}
	if words := runtimeWords(m.Runtime); words != "" {
		extra = append(extra, words)
	}
	return line{Unit: u, Class: r.Class, Old: rangeText(m.Value, scale, m.Unit), Verdict: r.Note, Extra: strings.Join(extra, " · ")}
}

// show puts the rounds of a benchmark into the raw numbers, from which the
// script draws.
func (s *detail) show(e *evidence, variants []result.Variant) {
	var all []float64
	var sides []string
	for v := range e.values {
		if finite := finiteOnly(e.values[v]); len(finite) > 0 {
			slices.Sort(finite)
			all = append(all, finite[len(finite)/2])
		}
		sides = append(sides, printable(strings.ReplaceAll(label(variants, v), "\t", " ")))
	}
	if len(all) == 0 {
		return
	}
	scale := unit.Scaling(e.unit, all...)
	s.Unit, s.Factor, s.Sides = printable(scale.Label(e.unit)), scale.Factor, strings.Join(sides, "\t")
	s.Rounds = len(e.values[0])
	s.Raw, s.RawNote = rawText(e, scale.Factor)
}

// mostRounds bounds the raw numbers of one benchmark in a report; longer ones
// are given by block, and result.jsonl keeps them all.
const mostRounds = 2400

// rawText writes a line per round, values by variant, with a line "@block
// seconds" where a block begins.
func rawText(e *evidence, factor float64) (text, note string) {
	var b strings.Builder
	digits := func(v float64) string {
		if !known(v) {
			return "-"
		}
		return fiveDigits(v * factor)
	}
	step := 1
	if n := len(e.values[0]); n > mostRounds {
		step = (n + mostRounds - 1) / mostRounds
		note = fmt.Sprintf("every %d. of %d rounds; result.jsonl has all of them", step, n)
	}
	last := -1
	for i := 0; i < len(e.values[0]); i += step {
		if e.blocks != nil && e.blocks[i] != last {
			last = e.blocks[i]
			fmt.Fprintf(&b, "@%d %.1f\n", last, e.at[i])
		}
		for v := range e.values {
			if v > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(digits(e.values[v][i]))
		}
		b.WriteByte('\n')
	}
	return b.String(), note
}

func fiveDigits(v float64) string {
	digits := 4
	if a := math.Abs(v); a > 0 {
		digits = max(0, min(9, 4-int(math.Floor(math.Log10(a)))))
	}
	s := fmt.Sprintf("%.*f", digits, v)
	if digits > 0 {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}
