package html

import (
	"fmt"
	"math"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/unit"
)

// page is what the report shows. Strings are text; pictures are markup.
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
	Absent     []string
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
	// Folded sums up rows that need not be read one by one. It is empty if the
	// table is open.
	Folded string
}

// row is one line of a table. Sort has the numbers it is sorted by.
type row struct {
	ID, Name, Class       string
	Old, New, Change      string
	Verdict, P            string
	Value, Interval, Note string
	Strip                 markup
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
	Picture       markup
	Sides         string
	Unit          string
	Factor        float64
	Raw           string
	RawNote       string
	Rounds        int
	// Iterations are quantiles of single iterations, with a value a variant.
	Iterations    [][]string
	IterationUnit string
}

type line struct{ Unit, Class, Old, New, Change, Verdict, Extra string }

type fact struct{ Name, Value string }

type noteRow struct{ Severity, Subject, Message, Action, ID string }

func newPage(d report.Document) *page {
	p := &page{Title: words.Printable(d.Title()), Compared: d.Comparison != nil}
	evidence := d.Evidence()
	details := make(map[report.Subject]*detail)
	detailOf := func(k report.Subject) *detail {
		if s := details[k]; s != nil {
			return s
		}
		s := &detail{ID: fmt.Sprintf("b%d", len(p.Sections)+1), Name: words.Printable(k.Name()), Pkg: words.Printable(k.Pkg)}
		if command := d.Again(k.Key); command != nil {
			s.Again = words.Shell(command)
		}
		if e := evidence[k]; e != nil {
			s.show(e, d.Variants())
			s.showIterations(e.Iterations)
		}
		details[k] = s
		p.Sections = append(p.Sections, s)
		return s
	}
	if d.Comparison != nil {
		p.comparison(d, detailOf)
	} else if d.Run != nil {
		p.run(d, detailOf)
	}
	p.functions(d, detailOf)
	for _, n := range d.Notes() {
		p.Notes = append(p.Notes, noteRow{string(n.Severity), words.Printable(words.List(n.Subjects)), words.Printable(n.Message), words.Printable(n.Action), words.Printable(n.ID)})
	}
	p.facts(d)
	if command := d.MadeBy(); command != nil {
		p.Commands = append(p.Commands, words.Shell(command))
	}
	if folder := d.Folder(); folder != "" {
		p.Commands = append(p.Commands, words.Shell([]string{"tare", "show", "-format", "html", "-o", "report.html", folder}))
	}
	return p
}

func (p *page) comparison(d report.Document, detailOf func(report.Subject) *detail) {
	c := d.Comparison
	p.Incomplete, p.Delta = c.Incomplete, c.Delta
	for _, v := range words.Counts(c.Summary) {
		p.Counts = append(p.Counts, count{string(v.Verdict), v.N})
	}
	if n := c.Summary.SameCode; n > 0 {
		p.Counts = append(p.Counts, count{"same code", n})
	}
	for _, line := range d.Absent() {
		p.Absent = append(p.Absent, line.Text)
	}
	p.Title = words.Printable(title(d))
	p.Headline = headline(c)
	p.Method = methodWords(c)
	p.axis = newStripAxis(c)
	all, spanning := d.Sections()
	for _, part := range all {
		if len(part.Compared) > 0 {
			t := p.comparisonTable(c, part, part.Compared, detailOf)
			if part.Mean != nil && part.Rows() > 1 {
				t.GeoMean = words.Mean(part.Mean)
			}
			p.Tables = append(p.Tables, t)
		}
		if len(part.Folded) > 0 {
			t := p.comparisonTable(c, part, part.Folded, detailOf)
			t.Folded = words.Printable(part.FoldedWords(c.Delta))
			p.Tables = append(p.Tables, t)
		}
	}
	for _, g := range spanning {
		p.Tables = append(p.Tables, table{Heading: "all", Unit: g.Unit, GeoMean: words.Mean(&g)})
	}
	p.headings()
	p.Tops = p.tops(d, detailOf)
}

// headings prints a package once, above the first of its tables.
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

func (p *page) comparisonTable(c *result.Comparison, part *report.Section, rows []*result.BenchmarkComparison, detailOf func(report.Subject) *detail) table {
	t := table{Unit: words.Printable(part.Unit), Old: words.Printable(words.Label(c.Variants, part.OldVariant)), New: words.Printable(words.Label(c.Variants, part.NewVariant))}
	t.Heading = words.Printable(strings.TrimSpace(strings.Join([]string{part.Pkg, words.Config(part.Config)}, " ")))
	for _, b := range rows {
		s := detailOf(report.ComparedSubject(b))
		scale := words.Scale(b.Unit, b.Old.Center, b.New.Center)
		r := row{ID: s.ID, Name: words.Printable(words.RowName(b.Key, b.Row)), Class: string(b.Verdict), P: words.P(b.P)}
		r.Old, r.New = words.Value(b.Old, scale), words.Value(b.New, scale)
		if words.Known(b.Change.Ratio) || b.Change.Difference != nil {
			r.Change = words.ChangeParts(b)[0]
		}
		r.Verdict = words.Verdict(b, c.Delta)
		if !b.Exact || b.Verdict != result.Same { // identical needs no picture
			r.Strip = p.axis.strip(b.Change)
		}
		r.Sort = fmt.Sprintf("%s|%s|%s|%s", sortNumber(b.Old.Center), sortNumber(b.New.Center), sortNumber(b.Change.Ratio), sortPointer(b.P))
		t.Rows = append(t.Rows, r)
		extra := words.Sentence(b, c.Delta)
		if b.Blocks > 0 {
			extra += fmt.Sprintf(" · %s, %s, %s", words.Plural(b.Blocks, "block"), words.Plural(b.Rounds, "round"), words.Seconds(b.Seconds))
		} else {
			extra += fmt.Sprintf(" · n %s", words.Samples(b.Old.N, b.New.N))
		}
		if text := words.Runtimes(b.OldRuntime, b.NewRuntime); text != "" {
			extra += " · " + text
		}
		s.Lines = append(s.Lines, line{t.Unit, r.Class, words.Estimate(b.Old, scale, b.Unit), words.Estimate(b.New, scale, b.Unit), r.Change, r.Verdict, strings.TrimSuffix(extra, ", ")})
		if b.Unit == "sec/op" || s.Class == "" {
			s.Picture, s.Class = p.axis.wide(b.Change), string(b.Verdict)
		}
		s.addNotes(b.Findings)
	}
	return t
}

func (p *page) run(d report.Document, detailOf func(report.Subject) *detail) {
	p.Incomplete = d.Run.Incomplete
	all, _ := d.Sections()
	failed, unstable := 0, 0
	seen := make(map[report.Subject]bool)
	for _, part := range all {
		t := table{Unit: words.Printable(part.Unit)}
		t.Heading = words.Printable(strings.TrimSpace(strings.Join([]string{part.Pkg, words.Config(part.Config)}, " ")))
		for _, m := range part.Measured {
			name := words.RowName(m.Key, m.Row)
			s := detailOf(report.MeasuredSubject(m))
			scale := words.Scale(m.Unit, m.Value.Center)
			line := row{ID: s.ID, Name: words.Printable(name), Class: m.Band, Note: words.Printable(m.Band)}
			if m.Failed != "" {
				failed++
				line.Class, line.Note = "failed", "failed: "+words.Printable(m.Failed)
			} else {
				line.Value = words.Value(m.Value, scale)
				line.Interval = words.Interval(m.Value, scale)
				if m.Exact {
					line.Interval = "exact"
				}
			}
			if m.Band == "unstable" && m.Unit == "sec/op" {
				unstable++
			}
			if m.Spread > 0 {
				line.Note = words.Share(m.Spread) + " " + line.Note
			}
			line.Sort = fmt.Sprintf("%s|%s||", sortNumber(m.Value.Center), sortNumber(m.Spread))
			t.Rows = append(t.Rows, line)
			s.Lines = append(s.Lines, lineOfRun(m, t.Unit, line, scale))
			s.addNotes(m.Findings)
			seen[report.MeasuredSubject(m)] = true
		}
		p.Tables = append(p.Tables, t)
	}
	p.headings()
	p.Headline = fmt.Sprintf("%s measured", words.Plural(len(seen)-failed, "benchmark"))
	if failed > 0 {
		p.Headline += fmt.Sprintf(", %d failed", failed)
	}
	if unstable > 0 {
		p.Headline += fmt.Sprintf("; %d unstable: see the findings before using the numbers", unstable)
	}
	p.Headline += "."
	p.Method = "A value is the center of the blocks with its 95% interval; the overhead of the clock is taken off. Spread is half the middle half of the blocks relative to the center."
}

func lineOfRun(m *result.Measurement, u string, r row, scale unit.Scale) line {
	var extra []string
	for _, q := range []string{"min", "p25", "p50", "p75", "p90", "max"} {
		if v, ok := m.Quantiles[q]; ok && words.Known(v) && !m.Exact {
			extra = append(extra, q+" "+scale.Format(v))
		}
	}
	if m.Overhead.Hi > 0 {
		o := words.Scale(m.Unit, m.Overhead.Hi)
		extra = append(extra, fmt.Sprintf("taken off %s to %s %s per op, raw %s", o.Format(m.Overhead.Lo), o.Format(m.Overhead.Hi), o.Symbol, scale.Format(m.Raw)))
	}
	if m.Blocks > 0 {
		extra = append(extra, fmt.Sprintf("%s, %s", words.Plural(m.Blocks, "block"), words.Plural(m.Rounds, "round")))
	}
	if text := words.Runtime(m.Runtime); text != "" {
		extra = append(extra, text)
	}
	return line{Unit: u, Class: r.Class, Old: words.Estimate(m.Value, scale, m.Unit), Verdict: r.Note, Extra: strings.Join(extra, " · ")}
}

// show puts the rounds of a benchmark into the raw numbers, from which the
// script draws.
func (s *detail) show(e *report.Evidence, variants []result.Variant) {
	var all []float64
	var sides []string
	for v := range e.Values {
		if finite := report.Finite(e.Values[v]); len(finite) > 0 {
			all = append(all, stats.Median(finite))
		}
		sides = append(sides, words.Printable(strings.ReplaceAll(words.Label(variants, v), "\t", " ")))
	}
	if len(all) == 0 {
		return
	}
	scale := unit.Scaling(e.Unit, all...)
	s.Unit, s.Factor, s.Sides = words.Printable(scale.Label(e.Unit)), scale.Factor, strings.Join(sides, "\t")
	s.Rounds = len(e.Values[0])
	s.Raw, s.RawNote = rawText(e, scale.Factor)
}

// showIterations adds the quantiles of single iterations.
func (s *detail) showIterations(its report.Iterations) {
	for _, share := range its.Shares {
		scale := its.Scale()
		s.IterationUnit = words.Printable(scale.Label("sec/op"))
		line := []string{share.Name}
		for _, value := range share.Values {
			line = append(line, scale.Format(value))
		}
		s.Iterations = append(s.Iterations, line)
	}
}

// mostRounds bounds the raw numbers of one benchmark in a report. Longer ones
// are given by block, and result.jsonl keeps them all.
const mostRounds = 2400

// rawText writes a line per round, values by variant. A line "@block seconds"
// marks the begin of a block.
func rawText(e *report.Evidence, factor float64) (text, note string) {
	var b strings.Builder
	digits := func(v float64) string {
		if !words.Known(v) {
			return "-"
		}
		return fiveDigits(v * factor)
	}
	step := 1
	if n := len(e.Values[0]); n > mostRounds {
		step = (n + mostRounds - 1) / mostRounds
		note = fmt.Sprintf("every %d. of %d rounds; result.jsonl has all of them", step, n)
	}
	last := -1
	for i := 0; i < len(e.Values[0]); i += step {
		if e.Blocks != nil && e.Blocks[i] != last {
			last = e.Blocks[i]
			fmt.Fprintf(&b, "@%d %.1f\n", last, e.At[i])
		}
		for v := range e.Values {
			if v > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(digits(e.Values[v][i]))
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
