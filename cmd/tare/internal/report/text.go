package report

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/finding"
)

// Text writes a document for a terminal: a table per package and unit, counts
// of verdicts, the findings.
func Text(w io.Writer, d Document, o Options) error {
	t := &textWriter{o: o}
	if c := d.Comparison.Config; len(c) > 0 {
		t.line(t.paint(dim, wrap(words.Config(c), t.o.Width, "  ")))
	}
	all, spanning := d.readable()
	var last *Section
	for i, s := range all {
		line := s.FoldedWords(d.Comparison.Delta)
		if claim := s.claim(d.Comparison.Delta); claim != "" {
			t.units = append(t.units, s.head())
			if i+1 < len(all) && all[i+1].place() == s.place() && all[i+1].claim(d.Comparison.Delta) == claim {
				continue // one line for all units
			}
			line, t.units = strings.Join(t.units, ", ")+": "+claim, nil
		}
		t.heading(last, s)
		if len(s.Shown) > 0 {
			t.table(tableOf(d.Comparison, s))
		}
		if line != "" {
			t.line(t.paint(dim, wrap(line, o.Width, "  ")))
		}
		last = s
	}
	if o.Quiet {
		if !d.Comparison.IsRun() {
			t.line(words.Tally(d.Comparison))
		}
		return t.flush(w)
	}
	for i, line := range d.curveLines() {
		if i == 0 {
			t.line("")
		}
		t.line(wrap(line, t.o.Width, "  "))
	}
	t.absent(d)
	c := d.Comparison
	t.spanning(c, spanning)
	if len(all) == 0 {
		t.linef("%s", nothing(c))
	}
	t.split(d)
	t.reading(c)
	t.narrow()
	if d.Comparison.Incomplete {
		t.line(t.paint(yellow, "Interrupted: these are the finished blocks."))
	}
	t.notes(d.Notes())
	if folder := c.Folder; folder != "" {
		t.linef("Kept in %s", folder)
	}
	if !c.IsRun() && singleBenchmark(c.Benchmarks) {
		t.next(d) // the table is as short as the closing lines
		t.blind(d)
		_, err := io.WriteString(w, strings.ReplaceAll(t.b.String(), "\n\n", "\n"))
		return err
	}
	t.closing(d)
	return t.flush(w)
}

func singleBenchmark(rows []result.BenchmarkComparison) bool {
	return !slices.ContainsFunc(rows, func(b result.BenchmarkComparison) bool {
		return b.Key != rows[0].Key || b.NewVariant != rows[0].NewVariant
	})
}

type textWriter struct {
	o Options
	b strings.Builder
	// left are the headers of columns that did not fit the terminal.
	left []string
	// units are the units without changes, for one common line.
	units []string
}

func (t *textWriter) flush(w io.Writer) error {
	_, err := io.WriteString(w, t.b.String())
	return err
}

// line writes a line that tare made, and linef one with texts of others.
func (t *textWriter) line(s string) { t.b.WriteString(s + "\n") }

func (t *textWriter) linef(format string, args ...any) { words.Fprintf(&t.b, format+"\n", args...) }

func (t *textWriter) paint(s style, text string) string {
	if !t.o.Color || s == plainStyle || text == "" {
		return text
	}
	return string(s) + text + "\x1b[0m"
}

func (t *textWriter) heading(last, s *Section) {
	if t.b.Len() > 0 && (last != nil || !strings.HasSuffix(t.b.String(), "\n\n")) {
		t.line("")
	}
	for _, line := range s.heading(last) {
		t.line(t.paint(dim, wrap(line, t.o.Width, "  ")))
	}
}

func (t *textWriter) table(v *view) {
	var settle []string
	if t.over(v.columns) > 0 {
		v.columns[slices.Index(v.columns, v.verdict)] = v.brief
		settle = v.settle
	}
	if !t.o.Verbose {
		for _, c := range v.evidence {
			c.used = false
		}
	}
	t.fit(v)
	grid(&t.b, v.columns, t.o.Color)
	if len(settle) > 0 {
		t.line(t.paint(dim, wrap("would settle what is undecided: "+words.List(settle), t.o.Width, "  ")))
	}
}

func (t *textWriter) over(all []*column) int {
	if t.o.Width == 0 {
		return 0
	}
	total := -2
	for _, c := range all {
		if c.used {
			total += c.width() + 2
		}
	}
	return total - t.o.Width
}

// fit makes a table fit the terminal. It shortens the labels of the variants, moves
// a long name of the table and what all names have in common to lines above it, shortens the names, but
// not below 24 cells, and drops the least important columns, in their order. Finally it drops the ± of the variants and shortens the names to 16. No
// two names become equal.
func (t *textWriter) fit(v *view) {
	var labels []string
	for _, c := range v.sides {
		labels = append(labels, words.Printable(c.header))
	}
	if head := words.Printable(v.name.header); t.over(v.columns) > 0 && words.Columns(head) > v.name.inner() {
		t.line(t.paint(dim, wrap(head, t.o.Width, "  ")))
		v.name.header = ""
	}
	if t.over(v.columns) > 0 {
		limitHeaders(v.sides, labels, 0)
		path := v.name.factor(v.rows)
		if t.over(v.columns) > 0 {
			path += v.name.form(v.rows)
		}
		if path != "" {
			t.line(t.paint(dim, wrap(path, t.o.Width, "  ")))
		}
	}
	shorten := func(least int) {
		if over := t.over(v.columns); over > 0 {
			v.name.limit(max(least, v.name.width()-over))
		}
	}
	names := slices.Clone(v.name.cells)
	shorten(24)
	for _, c := range v.without {
		if c.used && t.over(v.columns) > 0 {
			c.used = false
			t.leave(c.header)
		}
	}
	if t.over(v.columns) > 0 && len(v.sides) > 0 {
		for _, c := range v.sides {
			c.empty(2)
		}
		limitHeaders(v.sides, labels, 0)
		t.leave("± of the variants")
		v.name.set(names) // there is room again
	}
	shorten(16)
	if room := -t.over(v.columns); room > 0 && len(v.sides) > 0 {
		limitHeaders(v.sides, labels, room/len(v.sides))
	}
}

func (t *textWriter) leave(what string) {
	if !slices.Contains(t.left, what) {
		t.left = append(t.left, what)
	}
}

func (t *textWriter) narrow() {
	if len(t.left) > 0 {
		t.line(t.paint(dim, wrap("Too narrow here for: "+strings.Join(t.left, ", ")+" (-format json has them)", t.o.Width, "")))
	}
}

func (t *textWriter) spanning(c *result.Comparison, all []result.GeoMean) {
	for i, g := range all {
		if i == 0 {
			t.line("")
		}
		t.linef("geometric mean of %d, %s, %s: %s", g.N, g.Unit, words.Label(c.Variants, g.NewVariant),
			strings.Join(words.ChangeParts(&result.BenchmarkComparison{Unit: g.Unit, Change: g.Change}), ""))
	}
}

func (t *textWriter) absent(d Document) {
	for i, line := range d.Absent() {
		if i == 0 {
			t.line("")
		}
		t.line(t.paint(dim, wrap(line.Text, t.o.Width, "  ")))
	}
}

func (t *textWriter) reading(c *result.Comparison) {
	if c.IsRun() || len(c.Benchmarks) == 0 || c.Alpha == 0 {
		return
	}
	confidence := cmp.Or(c.Confidence, 1-c.Alpha)
	s := "± and (…) are " + words.Percent(confidence) + " intervals"
	if confidence != 1-c.Alpha {
		s = "± is a " + words.Percent(confidence) + " interval of each variant, (…) a " + words.Percent(1-c.Alpha) + " interval of the change"
	}
	if t.o.Verbose && slices.ContainsFunc(c.Benchmarks, func(b result.BenchmarkComparison) bool { return b.PHolm != nil }) {
		s += ", p adj. is p adjusted for the number of rows (Holm)"
	}
	if slices.ContainsFunc(c.Benchmarks, func(b result.BenchmarkComparison) bool { return b.Blocks > 0 }) {
		s += ". Quote the change: the variants ran in turn, and new is old times the change"
	}
	if slices.ContainsFunc(c.Benchmarks, hasInterval) {
		t.line(t.paint(dim, wrap(s+".", t.o.Width, "")))
	}
}

func nothing(c *result.Comparison) string {
	switch {
	case c.IsRun():
		return "Nothing was measured."
	case c.AllNew():
		return "Nothing to compare yet: " + words.Plural(len(c.Benchmarks), "benchmark") + " new in " + words.Label(c.Variants, len(c.Variants)-1) + "."
	}
	return "Nothing to compare."
}

func hasInterval(b result.BenchmarkComparison) bool {
	return words.Spread(b.Old) != "" || words.Spread(b.New) != "" || strings.Contains(strings.Join(words.ChangeParts(&b), ""), "…")
}

func (t *textWriter) notes(all []Note) {
	for i, n := range OneStep(all) {
		if i == 0 {
			t.line("")
		}
		word := n.Severity.String()
		color := map[finding.Severity]style{finding.Info: dim, finding.Warning: yellow, finding.Severe: red}[n.Severity]
		// A message may quote a compiler or a panic: its first line is part of
		// the sentence, the others follow unchanged.
		message, quoted, _ := strings.Cut(strings.TrimSpace(n.Message), "\n")
		s := strings.TrimRight(strings.TrimSpace(message), ":")
		if who := words.List(n.Subjects); who != "" {
			s = who + ": " + s
		}
		if n.Action != "" {
			s += "; " + n.Action
		}
		s += " [" + n.ID + "]"
		indent := strings.Repeat(" ", len(word)+2)
		head := word + ": "
		wrapped := wrap(head+s, t.o.Width, indent)
		t.line(t.paint(color, word) + strings.TrimPrefix(wrapped, word))
		for line := range strings.Lines(words.PrintableLines(strings.TrimLeft(quoted, "\n"))) {
			t.b.WriteString(strings.TrimRight(indent+line, " \n") + "\n")
		}
	}
}
