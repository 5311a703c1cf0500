package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/perf/benchunit"

	"github.com/tarebench/tare/cmd/tare/internal/benchtab"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// BenchstatComparison writes a comparison in the layout of benchstat, for commit
// messages: each change with tare's verdict and interval, and at the end a line
// about the measurement.
func BenchstatComparison(w io.Writer, d Document) error {
	var b strings.Builder
	if m := d.Machine(); m != nil {
		for _, s := range []benchtab.Setting{{Key: "goos", Value: m.OS}, {Key: "goarch", Value: m.Arch}, {Key: "cpu", Value: m.CPU.Model}} {
			if s.Value != "" {
				fmt.Fprintf(&b, "%s: %s\n", s.Key, words.Printable(s.Value))
			}
		}
	}
	var l sectionList
	for _, r := range d.Rows() {
		s := l.section(r.Config, r.Pkg, r.Unit, 0, 0)
		s.Compared = append(s.Compared, r)
	}
	slices.SortStableFunc(l.all, func(a, b *Section) int {
		return slices.Index(l.order, a.place()) - slices.Index(l.order, b.place())
	})
	header := make([]benchtab.HeaderCell, len(d.Variants()))
	for v := range header {
		header[v] = benchtab.HeaderCell{Label: words.Label(d.Variants(), v), Start: v, Len: 1}
	}
	var last *Section
	for i, s := range l.all {
		if i > 0 {
			b.WriteByte('\n')
		}
		for _, line := range s.heading(last) {
			b.WriteString(words.Printable(line) + "\n")
		}
		last = s
		rows := comparedRows(s.Compared, len(header), d.Comparison.Alpha)
		if mean := d.comparedMean(s, l.all, len(header)); mean != nil {
			rows = append(rows, *mean)
		}
		benchstatGrid(&b, [][]benchtab.HeaderCell{header}, s.Unit, len(header), rows)
	}
	if len(l.all) > 0 {
		b.WriteString("\n" + words.Printable(d.how()) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// comparedRows lays out the rows of a unit, the pairs of a benchmark in one row.
func comparedRows(compared []*result.BenchmarkComparison, sides int, alpha float64) (rows []benchstatRow) {
	byLabel := make(map[string]int)
	for _, c := range compared {
		label := words.RowName(c.Key, c.Row)
		i, ok := byLabel[label]
		if !ok {
			i = len(rows)
			byLabel[label] = i
			rows = append(rows, benchstatRow{label: label, cells: make([]benchstatCell, sides)})
		}
		scale := benchunit.CommonScale(Finite([]float64{c.Old.Center, c.New.Center}), benchunit.ClassOf(c.Unit))
		for v, e := range map[int]result.Estimate{c.OldVariant: c.Old, c.NewVariant: c.New} {
			if to := &rows[i].cells[v]; words.Known(e.Center) && to.center == "" {
				to.center, to.spread = scale.Format(e.Center), benchstatRange(e)
			}
		}
		to := &rows[i].cells[c.NewVariant]
		to.delta, to.test = comparedDelta(c, alpha), comparedTest(c)
	}
	return rows
}

// comparedDelta is the change of a row, or "~" if none is shown. A change within
// δ is shown too, as benchstat does.
func comparedDelta(c *result.BenchmarkComparison, alpha float64) string {
	if c.Verdict == result.Missing {
		return ""
	}
	p := adjustedP(c)
	within := c.Verdict == result.Same && p != nil && *p <= alpha && (c.Change.Lo > 1 || c.Change.Hi < 1)
	switch {
	case c.Verdict != result.Faster && c.Verdict != result.Slower && !within:
		return "~"
	case words.Known(c.Change.Ratio):
		return percentChange(c.Change.Ratio)
	}
	return cmp.Or(words.Difference(c), "?")
}

func adjustedP(c *result.BenchmarkComparison) *float64 {
	if c.PHolm != nil {
		return c.PHolm
	}
	return c.P
}

// comparedTest has p and n as benchstat has them, then the interval.
func comparedTest(c *result.BenchmarkComparison) string {
	size := fmt.Sprintf("n=%d", c.Old.N)
	if c.Old.N != c.New.N {
		size += fmt.Sprintf("+%d", c.New.N)
	}
	switch p := adjustedP(c); {
	case c.Reason == result.ReasonSameCode:
		return "(same code)"
	case c.Verdict == result.Failed || c.Verdict == result.Missing:
		return "(" + words.Verdict(c, 0) + ")"
	case c.Exact:
		return "(exact)"
	case p != nil:
		size = fmt.Sprintf("p=%0.3f %s", *p, size)
	}
	return strings.TrimRight("("+size+") "+bracket(c.Change), " ")
}

func bracket(c result.Change) string {
	if !words.Known(c.Lo) || !words.Known(c.Hi) {
		return ""
	}
	return "[" + words.Range(c.Lo-1, c.Hi-1) + "]"
}

// comparedMean is the row of the geometric means that cover a section, and no
// other one of its unit; nil if there is none.
func (d Document) comparedMean(s *Section, all []*Section, sides int) (row *benchstatRow) {
	for _, g := range d.Comparison.GeoMeans {
		covers := func(s *Section) bool { return s.Unit == g.Unit && configFits(g.Config, s) }
		others := slices.ContainsFunc(all, func(o *Section) bool { return o != s && covers(o) })
		if g.N < 2 || !covers(s) || others {
			continue
		}
		if row == nil {
			row = &benchstatRow{label: "geomean", cells: make([]benchstatCell, sides)}
		}
		class := benchunit.ClassOf(g.Unit)
		row.cells[0].center = benchunit.Scale(g.Old, class)
		row.cells[g.NewVariant] = benchstatCell{center: benchunit.Scale(g.New, class), delta: percentChange(g.Change.Ratio), test: bracket(g.Change)}
	}
	return row
}

// how reports in one line how the comparison was measured.
func (d Document) how() string {
	c := d.Comparison
	line := "tare: the sides in turn, n blocks of fresh processes and function orders"
	if d.Recording != nil && !d.Recording.Study.Timed() {
		line = "tare: allocations counted in n processes a side"
	}
	return line + fmt.Sprintf("; [%s interval of the change]; p adjusted over all rows; ~: no change shown", words.Percent(1-c.Alpha))
}
