package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/perf/benchunit"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// Benchstat writes a document in the form of benchstat, for commit messages.
// Each change has tare's verdict and interval. The last line describes the
// measurement.
func Benchstat(w io.Writer, d Document) error {
	var b strings.Builder
	if m := d.Comparison.Machine; m != nil {
		words.Fprintf(&b, "goos: %s\ngoarch: %s\n", m.OS, m.Arch)
		if m.CPU.Model != "" {
			words.Fprintf(&b, "cpu: %s\n", m.CPU.Model)
		}
	}
	all := sectionsOf(d.Rows(), false, false)
	var last *Section
	for i, s := range all {
		if i > 0 {
			b.WriteByte('\n')
		}
		for _, line := range s.heading(last) {
			words.Fprintf(&b, "%s\n", line)
		}
		last = s
		d.benchstatTable(&b, s, all)
	}
	if last != nil {
		words.Fprintf(&b, "\n%s\n", d.how())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

type benchstatRow struct {
	label string
	cells []benchstatCell
}

// benchstatCell has the texts of one variant and of its change against the
// first.
type benchstatCell struct{ center, spread, delta, test string }

func (d Document) benchstatTable(b *strings.Builder, s *Section, all []*Section) {
	variants := d.Comparison.Variants
	rows := comparedRows(s.Shown, len(variants), d.Comparison.Alpha)
	if mean := d.comparedMean(s, all); mean != nil {
		rows = append(rows, *mean)
	}
	name := &column{parts: "l"}
	columns := []*column{name}
	for range variants {
		columns = append(columns, &column{header: "│ " + s.Unit, parts: "rr"}, &column{header: "vs base", parts: "rl"})
	}
	for _, r := range rows {
		name.add(plainStyle, r.label)
		for i, c := range r.cells {
			columns[1+2*i].add(plainStyle, "  "+c.center, c.spread)
			columns[2+2*i].add(plainStyle, c.delta, c.test)
		}
	}
	labels := strings.Repeat(" ", name.width())
	for i := range variants {
		label, width := words.Printable(words.Label(variants, i)), columns[1+2*i].width()
		if change := columns[2+2*i]; change.used {
			width += 2 + change.width()
		}
		space := max(0, width-2-words.Columns(label))
		labels += "  │ " + strings.Repeat(" ", space/2) + label + strings.Repeat(" ", space-space/2)
	}
	b.WriteString(strings.TrimRight(labels, " ") + "\n")
	grid(b, columns, false)
}

// comparedRows returns the rows of a unit, with the pairs of a benchmark in one
// row.
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
				to.center, to.spread = scale.Format(e.Center), " ± "+benchstatRange(e)
			}
		}
		to := &rows[i].cells[c.NewVariant]
		to.delta, to.test = comparedDelta(c, alpha), " "+comparedTest(c)
	}
	return rows
}

// benchstatRange returns the larger half of the interval, in whole percent.
func benchstatRange(e result.Estimate) string {
	switch {
	case !words.Known(e.Lo) || !words.Known(e.Hi):
		return "∞"
	case e.Center == 0:
		return "0%"
	}
	return fmt.Sprintf("%.0f%%", 100*max(e.Hi/e.Center-1, 1-e.Lo/e.Center))
}

func percentChange(ratio float64) string {
	if !words.Known(ratio) {
		return "?"
	}
	return fmt.Sprintf("%+.2f%%", (ratio-1)*100)
}

// comparedDelta returns the change of a row, or "~" for none. Like benchstat,
// it shows a change within δ too.
func comparedDelta(c *result.BenchmarkComparison, alpha float64) string {
	if c.Verdict == result.Missing {
		return ""
	}
	p := cmp.Or(c.PHolm, c.P)
	within := c.Verdict == result.Same && p != nil && *p <= alpha && (c.Change.Lo > 1 || c.Change.Hi < 1)
	switch {
	case !c.Verdict.Differs() && !within:
		return "~"
	case words.Known(c.Change.Ratio):
		return percentChange(c.Change.Ratio)
	}
	return cmp.Or(words.Difference(c), "?")
}

func comparedTest(c *result.BenchmarkComparison) string {
	size := fmt.Sprintf("n=%d", c.Old.N)
	if c.Old.N != c.New.N {
		size += fmt.Sprintf("+%d", c.New.N)
	}
	switch p := cmp.Or(c.PHolm, c.P); {
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

// comparedMean returns the row of geometric means that cover this section and
// no other one of its unit, or nil.
func (d Document) comparedMean(s *Section, all []*Section) (row *benchstatRow) {
	for _, g := range d.Comparison.GeoMeans {
		covers := func(s *Section) bool { return s.Unit == g.Unit && configFits(g.Config, s) }
		others := slices.ContainsFunc(all, func(o *Section) bool { return o != s && covers(o) })
		if g.N < 2 || !covers(s) || others {
			continue
		}
		if row == nil {
			row = &benchstatRow{label: "geomean", cells: make([]benchstatCell, len(d.Comparison.Variants))}
		}
		class := benchunit.ClassOf(g.Unit)
		row.cells[0].center = benchunit.Scale(g.Old, class)
		row.cells[g.NewVariant] = benchstatCell{center: benchunit.Scale(g.New, class), delta: percentChange(g.Change.Ratio), test: " " + bracket(g.Change)}
	}
	return row
}

func (d Document) how() string {
	c := d.Comparison
	line := "tare: the variants in turn, n blocks of fresh processes and function orders"
	switch {
	case d.Recording == nil:
		line = "tare: medians of n runs, exact Mann-Whitney test"
	case !d.Recording.Study.Timed():
		line = "tare: allocations counted in n processes a variant"
	}
	return line + fmt.Sprintf(", [%s interval of the change], p adjusted over all rows, ~: no change shown", words.Percent(1-c.Alpha))
}
