package benchtab

import (
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// withMissing returns the compared rows and the rows of one variant only, in
// the order of tables, rows and columns.
func (t *Tables) withMissing() []result.BenchmarkComparison {
	n := 0
	for _, table := range t.Tables {
		for _, row := range table.Rows {
			n += len(t.missing(table, row))
		}
	}
	if n == 0 {
		return t.rows // which are in that order
	}
	all := make([]result.BenchmarkComparison, 0, len(t.rows)+n)
	for _, table := range t.Tables {
		for _, row := range table.Rows {
			missing := t.missing(table, row)
			for i := range t.Columns {
				if at := slices.Index(table.Columns, i); at >= 0 && row.Cells[at] != nil && row.Cells[at].Against != nil {
					all = append(all, *row.Cells[at].Against)
				}
				for _, m := range missing {
					if m.NewVariant == i {
						all = append(all, m)
					}
				}
			}
		}
	}
	return all
}

// missing returns the rows of a benchmark and unit for columns that cannot be
// compared, because they or their baseline do not have it. A column of another
// table of the unit (-table) is not a variant of this one.
func (t *Tables) missing(table *Table, row *TableRow) (out []result.BenchmarkComparison) {
	cell := func(column int) *Cell {
		if at := slices.Index(table.Columns, column); at >= 0 {
			return row.Cells[at]
		}
		return nil
	}
	base := 0 // the column to compare with
	for i := 1; i < len(t.Columns); i++ {
		if t.Options.Previous && cell(i-1) != nil {
			base = i - 1
		}
		old, new := cell(base), cell(i)
		if (old == nil) == (new == nil) {
			continue
		}
		b := result.BenchmarkComparison{
			Key: row.Key, Unit: table.Unit, Better: table.Better, Row: row.OwnLabel(),
			OldVariant: base, NewVariant: i, Old: judge.Unknown(), New: judge.Unknown(),
			Change: judge.UnknownChange(), Verdict: result.Missing, Config: table.Config,
		}
		if old != nil {
			b.Old = old.Estimate
		} else {
			b.New = new.Estimate
		}
		out = append(out, b)
	}
	return out
}
