package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"golang.org/x/perf/benchunit"

	"github.com/tarebench/tare/cmd/tare/internal/benchtab"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// Benchstat writes tables in the layout of benchstat, for scripts that parse
// it. It has the same columns, rounding, marks and footnotes. Medians,
// intervals and p-values are tare's; docs/stat.md lists the differences.
func Benchstat(w io.Writer, t *benchtab.Tables) error {
	var b strings.Builder
	var last []benchtab.Setting
	for i, table := range t.Tables {
		if i > 0 {
			b.WriteByte('\n')
		}
		for k, s := range table.Config {
			if last == nil || last[k].Value != s.Value {
				fmt.Fprintf(&b, "%s: %s\n", words.Printable(s.Key), words.Printable(s.Value))
			}
		}
		last = table.Config
		if last == nil {
			last = []benchtab.Setting{}
		}
		benchstatTable(&b, t, table)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Columns of the layout: the label, then center, range and notes per side. From
// the second side on, change, p and notes follow.
const (
	labelColumns  = 1
	centerColumns = 3
	deltaColumns  = 3
)

func startColumn(side int) int {
	if side == 0 {
		return labelColumns
	}
	return labelColumns + centerColumns + (side-1)*(centerColumns+deltaColumns)
}

// benchstatRow is a row of the layout. A side without a cell has an empty one.
type benchstatRow struct {
	label string
	cells []benchstatCell
}

// benchstatCell has the texts of one side, and from the second side on those of
// its change.
type benchstatCell struct {
	center, spread string
	notes          []string
	delta, test    string
	deltaNotes     []string
}

// benchstatGrid writes the rows of a unit below the labels of their sides.
func benchstatGrid(b *strings.Builder, header [][]benchtab.HeaderCell, unit string, sides int, rows []benchstatRow) {
	var l layout
	edge := startColumn(sides + 1)
	for _, level := range header {
		l.row()
		for _, h := range level {
			from := startColumn(h.Start)
			l.at(from, startColumn(h.Start+h.Len)-from, words.Printable(h.Label), center, " │ ")
		}
		l.at(edge, 1, "", left, " │")
	}
	l.row()
	for i := range sides {
		from := startColumn(i)
		l.at(from, centerColumns, words.Printable(unit), center, " │ ")
		end := from + centerColumns
		if i > 0 {
			l.at(end, deltaColumns, "vs base", left, "  ")
			end += deltaColumns
		}
		for j := from + 1; j < end; j++ {
			l.keepNarrow(j)
		}
	}
	l.at(edge, 1, "", left, " │")

	var notes footnotes
	for _, row := range rows {
		l.row()
		l.at(0, 1, words.Printable(row.label), left, "")
		for i, c := range row.cells {
			from := startColumn(i)
			l.at(from, 1, c.center, right, " ")
			if c.spread != "" {
				l.at(from+1, 1, c.spread, right, " ± ")
			}
			l.at(from+2, 1, notes.marks(c.notes), left, " ")
			l.at(from+centerColumns, 1, c.delta, right, " ")
			l.at(from+centerColumns+1, 1, c.test, left, " ")
			l.at(from+centerColumns+2, 1, notes.marks(c.deltaNotes), left, " ")
		}
	}
	l.write(b)
	for i, n := range notes.all {
		fmt.Fprintf(b, "%s %s\n", superscript(i+1), words.Printable(n))
	}
}

func benchstatTable(b *strings.Builder, t *benchtab.Tables, table *benchtab.Table) {
	class := benchunit.ClassOf(table.Unit)
	var rows []benchstatRow
	for _, row := range table.Rows {
		out := benchstatRow{label: row.Label, cells: make([]benchstatCell, len(row.Cells))}
		var centers []float64
		for _, c := range row.Cells {
			if c != nil {
				centers = append(centers, c.Estimate.Center)
			}
		}
		scale := benchunit.CommonScale(centers, class)
		for i, c := range row.Cells {
			if c == nil {
				continue
			}
			to := &out.cells[i]
			to.center, to.spread, to.notes = scale.Format(c.Estimate.Center), benchstatRange(c.Estimate), cellNotes(t, table, c)
			if i > 0 && c.Base != nil {
				to.delta, to.test, to.deltaNotes = benchstatDelta(t, table, c), "("+benchstatP(table, c)+")", deltaNotes(t, table, c)
			}
		}
		rows = append(rows, out)
	}
	if len(table.Rows) > 1 {
		rows = append(rows, benchstatMean(table, class))
	}
	benchstatGrid(b, table.Header, table.Unit, len(table.Columns), rows)
}

// benchstatMean is the row of geometric means.
func benchstatMean(table *benchtab.Table, class benchunit.Class) benchstatRow {
	row := benchstatRow{label: "geomean"}
	for i, s := range table.Summary {
		var c benchstatCell
		var notes []string
		if i > 0 && s.Paired != table.Summary[0].Rows {
			notes = append(notes, "benchmark set differs from baseline; geomeans may not be comparable")
		}
		if math.IsNaN(s.Center) {
			notes = append(notes, "summaries must be >0 to compute geomean")
		} else {
			c.center = benchunit.Scale(s.Center, class)
		}
		switch {
		case i == 0:
			c.notes = notes
		case !math.IsNaN(s.Ratio):
			c.delta = percentChange(s.Ratio)
		default:
			c.delta = "?"
			if !anyNewFromNothing(table, i) {
				notes = append(notes, "ratios must be >0 to compute geomean")
			}
		}
		if i > 0 {
			c.deltaNotes = notes
		}
		row.cells = append(row.cells, c)
	}
	return row
}

func percentChange(ratio float64) string { return fmt.Sprintf("%+.2f%%", (ratio-1)*100) }

// anyNewFromNothing reports whether a row of side i goes from zero to
// something: a ratio that is not there, rather than one that is zero.
func anyNewFromNothing(table *benchtab.Table, i int) bool {
	for _, row := range table.Rows {
		if c := row.Cells[i]; c != nil && c.Base != nil && c.Base.Estimate.Center == 0 && c.Estimate.Center != 0 {
			return true
		}
	}
	return false
}

// benchstatRange is the larger side of the interval, in whole percent.
func benchstatRange(e result.Estimate) string {
	switch {
	case !words.Known(e.Lo) || !words.Known(e.Hi):
		return "∞"
	case sign(e.Center) != sign(e.Lo) || sign(e.Center) != sign(e.Hi):
		return "?"
	case e.Center == 0:
		return "0%"
	}
	return fmt.Sprintf("%.0f%%", 100*max(e.Hi/e.Center-1, 1-e.Lo/e.Center))
}

func sign(v float64) int {
	switch {
	case v < 0:
		return -1
	case v > 0:
		return 1
	}
	return 0
}

// benchstatDelta is the change of the medians if p is at most alpha.
func benchstatDelta(t *benchtab.Tables, table *benchtab.Table, c *benchtab.Cell) string {
	old, new := c.Base.Estimate.Center, c.Estimate.Center
	switch {
	case benchstatTest(table, c) > t.Options.Alpha:
		return "~"
	case old == new:
		return "0.00%"
	case old == 0:
		return "?"
	}
	return percentChange(new / old)
}

// benchstatTest is the p-value shown: 0 for a unit without noise, and 1 if
// nothing differs.
func benchstatTest(table *benchtab.Table, c *benchtab.Cell) float64 {
	if table.Exact {
		return 0
	}
	return c.P
}

func benchstatP(table *benchtab.Table, c *benchtab.Cell) string {
	n, m := c.Base.N, c.N
	size := fmt.Sprintf("n=%d", n)
	if n != m {
		size = fmt.Sprintf("n=%d+%d", n, m)
	}
	if p := benchstatTest(table, c); p != 0 {
		return fmt.Sprintf("p=%0.3f %s", p, size)
	}
	return size
}

func cellNotes(t *benchtab.Tables, table *benchtab.Table, c *benchtab.Cell) []string {
	var out []string
	if len(c.Varies) > 0 {
		out = append(out, "benchmarks vary in "+strings.Join(c.Varies, ", "))
	}
	e := c.Estimate
	switch {
	case table.Exact && e.Lo != e.Hi:
		out = append(out, fmt.Sprintf("exact distribution expected, but values range from %v to %v", e.Lo, e.Hi))
	case !table.Exact && !words.Known(e.Lo):
		out = append(out, fmt.Sprintf("need >= %d samples for confidence interval at level %v", t.LeastRuns, t.Options.Confidence))
	}
	return out
}

func deltaNotes(t *benchtab.Tables, table *benchtab.Table, c *benchtab.Cell) []string {
	if table.Exact {
		return nil
	}
	if c.AllEqual() {
		return []string{"all samples are equal"}
	}
	if n := t.LeastDifferent; c.P > t.Options.Alpha && c.Base.N < n && c.N < n {
		return []string{fmt.Sprintf("need >= %d samples to detect a difference at alpha level %v", n, t.Options.Alpha)}
	}
	return nil
}

// footnotes are the notes of a table, each once.
type footnotes struct{ all []string }

func (f *footnotes) marks(notes []string) string {
	var marks []string
	for _, n := range notes {
		i := 0
		for i < len(f.all) && f.all[i] != n {
			i++
		}
		if i == len(f.all) {
			f.all = append(f.all, n)
		}
		marks = append(marks, superscript(i+1))
	}
	return strings.Join(marks, " ")
}

func superscript(n int) string {
	digits := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	var b strings.Builder
	for _, d := range fmt.Sprint(n) {
		b.WriteRune(digits[d-'0'])
	}
	return b.String()
}
