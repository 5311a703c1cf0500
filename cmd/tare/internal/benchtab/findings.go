package benchtab

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/finding"
	"github.com/tarebench/tare/internal/unit"
)

// rowFindings attaches findings to each judged row. Equal findings of many rows
// have the same words, so that a report can combine them.
func (t *Tables) rowFindings() {
	for _, table := range t.Tables {
		for _, row := range table.Rows {
			for _, c := range row.Cells {
				if c == nil || c.Against == nil {
					continue
				}
				b := c.Against
				b.Findings = slices.Concat(b.Findings, t.comparisonFindings(table, row, c), t.cellFindings(table, row, c.Base), t.cellFindings(table, row, c))
			}
		}
	}
}

func (t *Tables) comparisonFindings(table *Table, row *TableRow, c *Cell) []finding.Finding {
	b := c.Against
	var out []finding.Finding
	add := func(k finding.Kind, values ...finding.Value) { out = append(out, k.Of(row.Label, values...)) }
	least := stats.SmallestP(b.Old.N, b.New.N)
	switch {
	case b.Exact:
	case least > t.Options.Alpha && t.LeastDifferent > 0:
		add(catalog.TooFewRuns, finding.Text("runs", runs(b.Old.N, b.New.N)), finding.Number("alpha", t.Options.Alpha), finding.Count("needed", t.LeastDifferent, ""))
	case c.AllEqual():
		add(catalog.AllEqual, finding.Quantity("value", c.Least, table.Unit))
	}
	if b.Change.Difference != nil && !b.Exact {
		add(catalog.NotPositive)
	}
	if table.Exact && !b.Exact {
		out = append(out, table.notExact(row, min(c.Least, c.Base.Least), max(c.Most, c.Base.Most)))
	}
	return out
}

func (t *Table) notExact(row *TableRow, least, most float64) finding.Finding {
	return catalog.NotExact.Of(row.Label, finding.Text("unit", t.Unit), finding.Quantity("least", least, t.Unit), finding.Quantity("most", most, t.Unit))
}

func runs(n, m int) string {
	switch {
	case n == m && n == 1:
		return "1 run a side"
	case n == m:
		return fmt.Sprintf("%d runs a side", n)
	}
	return fmt.Sprintf("%d and %d runs", n, m)
}

func (t *Tables) cellFindings(table *Table, row *TableRow, c *Cell) []finding.Finding {
	var out []finding.Finding
	if len(c.Varies) > 0 {
		out = append(out, catalog.MixedResults.Of(row.Label, finding.Text("keys", strings.Join(c.Varies, ", "))))
	}
	if n := c.N; !table.Exact && !c.constant() && n < t.LeastRuns && n >= t.LeastDifferent {
		out = append(out, catalog.NoMedianInterval.Of(row.Label, finding.Count("runs", n, "run"), finding.Share("confidence", t.Options.Confidence), finding.Count("needed", t.LeastRuns, "")))
	}
	return out
}

func (t *Tables) tableFindings() {
	for _, table := range t.Tables {
		if len(t.Columns) < 2 || len(table.Columns) > 1 {
			continue
		}
		var names []string
		for _, row := range table.Rows {
			names = append(names, row.Label)
		}
		table.Notes = append(table.Notes, catalog.OneSideOnly.Of(strings.TrimSpace(table.Pkg+" "+table.Unit), finding.Text("variant", t.Columns[table.Columns[0]].Label), finding.Text("names", words.List(names))))
	}
	t.Findings = slices.Concat(t.Findings, t.sequential(), t.smallest())
}

// smallest finds the smallest change that these files could have shown, in the
// measured units.
func (t *Tables) smallest() []finding.Finding {
	var all []float64
	var worst *result.BenchmarkComparison
	for i := range t.rows {
		b := &t.rows[i]
		if b.Detectable == 0 || !judge.Measured(b.Unit) {
			continue
		}
		all = append(all, b.Detectable)
		if worst == nil || b.Detectable > worst.Detectable {
			worst = b
		}
	}
	if len(all) == 0 {
		return nil
	}
	noisiest := ""
	if len(all) > 1 {
		noisiest = " in the typical row and of " + unit.Percent(worst.Detectable) + " in the noisiest (" + worst.Name + ")"
	}
	return []finding.Finding{catalog.SmallestChange.Of("", finding.Share("share", stats.Median(all)), finding.Text("noisiest", noisiest))}
}

// sequential reports variants that were measured one after the other: in two
// files, or in two parts of one.
func (t *Tables) sequential() []finding.Finding {
	pairs, apart := 0, 0
	for _, table := range t.Tables {
		if !judge.Measured(table.Unit) {
			continue
		}
		for _, row := range table.Rows {
			for _, c := range row.Cells {
				if c == nil || c.Base == nil {
					continue
				}
				pairs++
				if after(c.first, c.Base.last) || after(c.Base.first, c.last) {
					apart++
				}
			}
		}
	}
	if apart == 0 || apart*2 < pairs {
		return nil
	}
	return []finding.Finding{catalog.SequentialBlocks.Of("")}
}

func after(a, b position) bool { return a.file != b.file || a.at > b.at }
