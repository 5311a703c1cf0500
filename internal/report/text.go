package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/tarebench/tare/finding"
	"github.com/tarebench/tare/internal/result"
)

// Text writes a comparison as tables for a terminal: one per package and
// unit, then the tally of verdicts, then what deserves a word.
func Text(w io.Writer, c *result.Comparison, o Options) error {
	t := &textWriter{o: o}
	t.config(c.Config)
	all, spanning := sections(c)
	var last *section
	for _, s := range all {
		t.heading(last, s, c.Variants)
		t.comparisonTable(c, s)
		last = s
	}
	t.spanning(c, spanning)
	if len(all) == 0 {
		t.line("Nothing to compare.")
	}
	t.tally(c)
	t.reading(c)
	t.narrow()
	if c.Incomplete {
		t.line(t.paint(yellow, "Interrupted: these are the blocks that were finished."))
	}
	t.notes(comparisonNotes(c))
	if c.Folder != "" {
		t.line("Kept in " + printable(c.Folder))
	}
	return t.flush(w)
}

type textWriter struct {
	o Options
	b strings.Builder
	// left are the headers of columns that a narrow terminal had no room for.
	left []string
}

func (t *textWriter) flush(w io.Writer) error {
	s := t.b.String()
	if t.o.ASCII {
		// Keep our own colours out of the escaping.
		s = strings.ReplaceAll(s, "\x1b", "\x00")
		s = strings.ReplaceAll(plain(s), "\x00", "\x1b")
	}
	_, err := io.WriteString(w, s)
	return err
}

func (t *textWriter) line(s string) { t.b.WriteString(s + "\n") }

func (t *textWriter) paint(s style, text string) string {
	if !t.o.Color || s == plainStyle || text == "" {
		return text
	}
	return string(s) + text + "\x1b[0m"
}

// config prints what all rows share as go test does.
func (t *textWriter) config(c map[string]string) {
	for _, k := range sortedKeys(c) {
		t.line(t.paint(dim, printable(k+": "+c[k])))
	}
}

// heading separates s from the table before it and names what changed.
func (t *textWriter) heading(last, s *section, variants []result.Variant) {
	if t.b.Len() > 0 && (last != nil || !strings.HasSuffix(t.b.String(), "\n\n")) {
		t.line("")
	}
	for _, k := range sortedKeys(s.config) {
		if last == nil || last.config[k] != s.config[k] {
			t.line(t.paint(dim, printable(k+": "+s.config[k])))
		}
	}
	if s.pkg != "" && (last == nil || last.pkg != s.pkg) && s.config["pkg"] == "" {
		t.line(t.paint(dim, "pkg: "+printable(s.pkg)))
	}
}

func (t *textWriter) comparisonTable(c *result.Comparison, s *section) {
	name := &column{header: printable(s.unit), parts: "l"}
	before := &column{header: printable(shorten(label(c.Variants, s.oldVar), 28)), parts: "rlr", headerRight: true}
	after := &column{header: printable(shorten(label(c.Variants, s.newVar), 28)), parts: "rlr", headerRight: true}
	change := &column{header: "change", parts: "rlrlrl"}
	p := &column{header: "p", parts: "r", headerRight: true}
	adjusted := &column{header: "p adj.", parts: "r", headerRight: true}
	verdict, brief := &column{header: "verdict", parts: "l"}, &column{header: "verdict", parts: "l"}
	var settle []string
	n := &column{header: "n", parts: "r", headerRight: true}
	cost := &column{header: "took", parts: "rlr", headerRight: true}

	all := []*column{name, before, after, change, p, adjusted, n, cost, verdict}
	reserve(len(s.rows)+1, append(all, brief)...)
	for _, b := range s.rows {
		name.add(plainStyle, printable(rowName(b.Key, b.Row)))
		sc := scaleOf(b.Unit, b.Old.Center, b.New.Center)
		before.add(plainStyle, valueParts(b.Old, sc.Format, sc.Symbol)...)
		after.add(plainStyle, valueParts(b.New, sc.Format, sc.Symbol)...)
		color := verdictStyle(b.Verdict)
		change.add(color, changeParts(b)...)
		p.add(plainStyle, probability(b.P))
		adjusted.add(plainStyle, probability(b.PBH))
		words := Verdict(b, c.Delta)
		brief.add(color, words)
		if b.Verdict == result.Undecided && b.Needed > 0 {
			words += "; " + needed(b) + " would settle it"
			settle = append(settle, fmt.Sprintf("%s (%s)", printable(rowName(b.Key, b.Row)), needed(b)))
		}
		verdict.add(color, words)
		if b.Blocks > 0 {
			n.add(plainStyle)
			cost.add(plainStyle, fmt.Sprintf("%d", b.Blocks), blockWord(b.Blocks), gap(seconds(b.Seconds)))
		} else {
			n.add(plainStyle, samples(b.Old.N, b.New.N))
			cost.add(plainStyle)
		}
	}
	if g := s.geomean; g != nil && g.N > 1 {
		name.add(dim, meanWords(g, len(s.rows)))
		sc := scaleOf(g.Unit, g.Old, g.New)
		before.add(dim, valueParts(bare(g.Old), sc.Format, sc.Symbol)...)
		after.add(dim, valueParts(bare(g.New), sc.Format, sc.Symbol)...)
		change.add(dim, changeParts(&result.BenchmarkComparison{Unit: g.Unit, Change: g.Change})...)
		for _, c := range []*column{p, adjusted, verdict, brief, n, cost} {
			c.add(dim)
		}
	}
	if t.over(all) > 0 && len(settle) > 0 {
		all[len(all)-1] = brief
	} else {
		settle = nil
	}
	t.fit(name, all, cost, p, adjusted)
	if t.over(all) > 0 {
		before.empty(2)
		after.empty(2)
		t.leave("± of the sides")
	}
	grid(&t.b, all, t.o.Color)
	if len(settle) > 0 {
		t.line(t.paint(dim, wrap("would settle what is undecided: "+subjectWords(settle), t.o.Width, "  ")))
	}
}

// meanWords names a geometric mean; rows with a value of nought are in none.
func meanWords(g *result.GeoMean, rows int) string {
	if g.N == rows {
		return "geometric mean"
	}
	return fmt.Sprintf("geometric mean of %d", g.N)
}

// over is by how many cells a table is wider than the terminal.
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

// fit makes a table fit the terminal: it shortens the names, not below 24
// cells, leaves out what a reader can best do without, in that order, and at
// last shortens the names to 16.
func (t *textWriter) fit(name *column, all []*column, without ...*column) {
	shorten := func(least int) {
		if over := t.over(all); over > 0 {
			name.limit(max(least, name.width()-over))
		}
	}
	shorten(24)
	for _, c := range without {
		if c.used && t.over(all) > 0 {
			c.used = false
			t.leave(c.header)
		}
	}
	shorten(16)
}

func (t *textWriter) leave(what string) {
	if !slices.Contains(t.left, what) {
		t.left = append(t.left, what)
	}
}

// narrow says what was left out for want of room.
func (t *textWriter) narrow() {
	if len(t.left) > 0 {
		t.line(t.paint(dim, wrap("Too narrow here for: "+strings.Join(t.left, ", ")+" (-format json has them)", t.o.Width, "")))
	}
}

func samples(old, new int) string {
	switch {
	case old == 0 && new == 0:
		return ""
	case old == new:
		return fmt.Sprint(old)
	}
	return fmt.Sprintf("%d+%d", old, new)
}

// blockWord stands behind a number of blocks.
func blockWord(n int) string {
	if n == 1 {
		return " block"
	}
	return " blocks"
}

func gap(s string) string {
	if s == "" {
		return ""
	}
	return "  " + s
}

// bare is an estimate without an interval.
func bare(v float64) result.Estimate {
	return result.Estimate{Center: v, Lo: math.NaN(), Hi: math.NaN()}
}

// valueParts are number, symbol and ± of a value.
func valueParts(e result.Estimate, format func(float64) string, symbol string) []string {
	if !known(e.Center) {
		return nil
	}
	parts := []string{format(e.Center), "", ""}
	if symbol != "" {
		parts[1] = " " + symbol
	}
	if s := spread(e); s != "" {
		parts[2] = " ± " + s
	}
	return parts
}

// changeParts are the signed change and its interval, bracket by bracket.
func changeParts(b *result.BenchmarkComparison) []string {
	c := b.Change
	switch {
	case b.Exact && b.Verdict == result.Same:
		return []string{"0%"}
	case known(c.Ratio):
		parts := []string{changeWords(c), "", "", "", "", ""}
		if known(c.Lo) && known(c.Hi) && c.Lo < c.Hi {
			d := percentDigits(c)
			copy(parts[1:], []string{"  (", strings.TrimSuffix(changePercent(c.Lo-1, d), "%"), " … ", changePercent(c.Hi-1, d), ")"})
		}
		return parts
	case c.Difference != nil:
		return []string{differenceWords(b)}
	}
	return []string{"?"}
}

func verdictStyle(v result.Verdict) style {
	switch v {
	case result.Faster:
		return green
	case result.Slower, result.Failed:
		return red
	case result.Undecided:
		return yellow
	}
	return plainStyle
}

// spanning prints geometric means that cover more than one table.
func (t *textWriter) spanning(c *result.Comparison, all []result.GeoMean) {
	for i, g := range all {
		if i == 0 {
			t.line("")
		}
		t.line(fmt.Sprintf("geometric mean of %d, %s, %s: %s", g.N, printable(g.Unit), printable(label(c.Variants, g.NewVariant)),
			strings.Join(changeParts(&result.BenchmarkComparison{Unit: g.Unit, Change: g.Change}), "")))
	}
}

// tally counts the verdicts on the primary unit.
func (t *textWriter) tally(c *result.Comparison) {
	s := c.Summary
	var parts []string
	for _, v := range []struct {
		n     int
		words string
		style style
	}{
		{s.Faster, "faster", green}, {s.Slower, "slower", red}, {s.Same, "same", plainStyle},
		{s.Undecided, "undecided", yellow}, {s.Failed, "failed", red},
	} {
		if v.n > 0 {
			parts = append(parts, t.paint(v.style, fmt.Sprintf("%d %s", v.n, v.words)))
		}
	}
	if len(parts) > 0 {
		t.line("")
		t.line(strings.Join(parts, ", ") + ".")
	}
}

// reading says in one line what the numbers are.
func (t *textWriter) reading(c *result.Comparison) {
	if len(c.Benchmarks) == 0 || c.Alpha == 0 {
		return
	}
	confidence := c.Confidence
	if confidence == 0 {
		confidence = 1 - c.Alpha
	}
	s := "± and (…) are " + percentOf(confidence) + " intervals"
	if confidence != 1-c.Alpha {
		s = "± is a " + percentOf(confidence) + " interval of each side, (…) a " + percentOf(1-c.Alpha) + " interval of the change"
	}
	for _, b := range c.Benchmarks {
		if b.PBH != nil {
			s += "; p adj. is p adjusted for the number of rows (Benjamini–Hochberg)"
			break
		}
	}
	t.line(t.paint(dim, wrap(s+".", t.o.Width, "")))
}

// notes prints findings, severest first.
func (t *textWriter) notes(all []note) {
	for i, n := range all {
		if i == 0 {
			t.line("")
		}
		word, color := "note", dim
		switch n.Severity {
		case finding.Warning:
			word, color = "warning", yellow
		case finding.Severe:
			word, color = "severe", red
		}
		// A message may quote a compiler or a panic: its first line stands in
		// the sentence, the others below it as they came.
		message, quoted, _ := strings.Cut(strings.TrimSpace(n.Message), "\n")
		s := printable(strings.TrimSpace(message))
		if who := subjectWords(n.subjects); who != "" {
			s = printable(who) + ": " + s
		}
		if n.Action != "" {
			s += "; " + printable(n.Action)
		}
		s += " [" + n.ID + "]"
		indent := strings.Repeat(" ", len(word)+2)
		head := word + ": "
		wrapped := wrap(head+s, t.o.Width, indent)
		t.line(t.paint(color, word) + strings.TrimPrefix(wrapped, word))
		for line := range strings.Lines(quoted) {
			t.line(indent + printable(strings.TrimRight(strings.ReplaceAll(line, "\t", "    "), " \r\n")))
		}
	}
}

// subjectWords names up to three subjects and counts the rest.
func subjectWords(subjects []string) string {
	const most = 3
	if len(subjects) <= most {
		return strings.Join(subjects, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(subjects[:most], ", "), len(subjects)-most)
}
