// Package benchtab reads benchmark files, arranges them in tables and judges
// their rows. [ReadAll] reads files in every encoding in which tools store
// them. [Files] returns the tables ([Tables]).
package benchtab

import (
	"errors"
	"fmt"
	"maps"
	"strconv"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/finding"
	"github.com/tarebench/tare/internal/unit"
)

// Options control how the results of benchmark files are arranged and judged.
// Filter, Table, Row, Col and Ignore have the syntax and the meaning of
// x/perf's benchproc, as in benchstat.
type Options struct {
	// Filter selects results. Empty selects all.
	Filter string
	// Table splits into tables, Row into rows, Col into the columns that are
	// compared. The defaults are .config (without the keys that only
	// distinguish the files), .fullname and .file.
	Table, Row, Col string
	// Ignore lists keys to omit from the grouping.
	Ignore string
	// Alpha is the error rate of the verdicts, over each unit's table.
	Alpha float64
	// Confidence is the confidence of the intervals of the medians.
	Confidence float64
	// Delta is the relative change below which two variants are the same.
	Delta float64
	// Gate contains the limits of the gate.
	Gate result.Limits
	// Previous compares each column with the one before it instead of the
	// first.
	Previous bool
	// KeepOrder keeps the values of each cell also in the order in which they
	// were taken, for pictures.
	KeepOrder bool
}

// Tables contains benchmark files, arranged and judged.
type Tables struct {
	Options Options
	// Columns are all columns of all tables, in their order.
	Columns []result.Variant
	Tables  []*Table
	// LeastRuns is the number of runs per variant that a median needs for its
	// interval. LeastDifferent is the number that a verdict other than
	// undecided needs.
	LeastRuns, LeastDifferent int
	Findings                  []finding.Finding

	rows   []result.BenchmarkComparison // the targets of the cells' Against
	shared map[string]string            // the settings of all tables
}

// Table is one unit under one configuration. Its rows are benchmarks and its
// columns variants.
type Table struct {
	// Config contains the settings that distinguish the table from others, without
	// the unit and the package, which is Pkg: the Config of its rows.
	Config    map[string]string
	Pkg, Unit string
	// Better is the direction in which the unit improves.
	Better unit.Direction
	// Exact is true for units declared to have no noise ("assume=exact").
	Exact bool
	// Columns index Tables.Columns.
	Columns []int
	Rows    []*TableRow
	Notes   []finding.Finding
}

// TableRow is one row. Cells run along Table.Columns. A cell is nil if the
// column does not have the row.
type TableRow struct {
	Label string
	Key   result.Key
	Cells []*Cell
}

// Cell is the sample of one row and column.
type Cell struct {
	// N counts the values. Least and Most are the smallest and the greatest.
	N           int
	Least, Most float64
	// Values are the values in the order in which they were taken, with
	// [Options.KeepOrder] only.
	Values []float64
	// Estimate is the median with its interval. For an exact unit it is the
	// most frequent value with the range.
	Estimate result.Estimate
	// Varies lists the keys in which combined results differ.
	Varies []string
	// Against is the judgment against the baseline. It is nil in the baseline's
	// own column, and if the baseline does not have the row. Base is the
	// baseline's cell.
	Against     *result.BenchmarkComparison
	Base        *Cell
	sorted      []float64
	from        []origin
	first, last position
	serial      stats.Serial // of its values in their order
	times       []timed      // in their order, if the row may be compared in pairs
	differences []float64    // of the pairs, nil if it was not compared in pairs
}

// AllEqual reports whether every value here and in the baseline is the same.
func (c *Cell) AllEqual() bool {
	return c.Base != nil && c.constant() && c.Base.constant() && c.Least == c.Base.Least
}

type origin struct {
	series *Series
	unit   int
	file   int
}

type position struct{ file, at int }

// ErrNothingLeft is returned if the filter keeps no result.
var ErrNothingLeft = errors.New("no result passes -filter")

// Files arranges files as o requires and judges every row against its baseline.
// The files contain series, not recordings: see [Samples].
func Files(files []*File, o Options) (*Tables, error) {
	t := &Tables{Options: o}
	ignored := t.varyingKeys(files)
	if err := t.project(files, ignored); err != nil {
		return nil, err
	}
	if len(t.Tables) == 0 {
		return nil, fmt.Errorf("select benchmarks by -filter %s: %w", strconv.Quote(o.Filter), ErrNothingLeft)
	}
	for _, f := range files {
		t.Findings = append(t.Findings, f.Findings...)
	}
	t.shareConfig()
	t.judge()
	return t, nil
}

// Comparison returns the tables as one list of rows against their baselines, or
// of the values of the only column.
func (t *Tables) Comparison() *result.Comparison {
	c := &result.Comparison{
		Variants: t.Columns,
		Alpha:    t.Options.Alpha, Delta: t.Options.Delta, Gate: t.Options.Gate, Confidence: t.Options.Confidence,
		Findings: t.Findings, Config: t.shared,
	}
	for _, table := range t.Tables {
		c.Findings = append(c.Findings, table.Notes...)
		if !c.IsRun() {
			c.GeoMeans = append(c.GeoMeans, table.geoMeans(t.Options.Alpha)...)
			continue
		}
		for _, row := range table.Rows {
			for _, cell := range row.Cells {
				if cell != nil {
					c.Benchmarks = append(c.Benchmarks, table.level(row, cell, t))
				}
			}
		}
	}
	if !c.IsRun() {
		c.Benchmarks = t.withMissing()
	}
	c.Summary = judge.Summarize(c.Benchmarks)
	result.Possible(c)
	return c
}

// OwnLabel is the label of a row if its key is not enough: its Row in
// Comparison.
func (r *TableRow) OwnLabel() string {
	if r.Label == words.RowName(r.Key, "") {
		return ""
	}
	return r.Label
}

// shareConfig separates the settings that all tables have.
func (t *Tables) shareConfig() {
	t.shared = maps.Clone(t.Tables[0].Config)
	for _, table := range t.Tables {
		maps.DeleteFunc(t.shared, func(k, v string) bool { return table.Config[k] != v })
	}
	for _, table := range t.Tables {
		maps.DeleteFunc(table.Config, func(k, _ string) bool { _, all := t.shared[k]; return all })
	}
}
