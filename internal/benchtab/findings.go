package benchtab

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tarebench/tare/finding"
	"github.com/tarebench/tare/internal/judge"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/stats"
)

// rowFindings attaches to each judged row what deserves a word about it.
// Findings that say the same of many rows have the same words: a report puts
// them together.
func (t *Tables) rowFindings() {
	for _, table := range t.Tables {
		for _, row := range table.Rows {
			for _, c := range row.Cells {
				if c == nil || c.Against == nil {
					continue
				}
				b := c.Against
				b.Findings = append(b.Findings, t.comparisonFindings(table, row, c)...)
				b.Findings = append(b.Findings, t.cellFindings(table, row, c.Base)...)
				b.Findings = append(b.Findings, t.cellFindings(table, row, c)...)
			}
		}
	}
}

func (t *Tables) comparisonFindings(table *Table, row *TableRow, c *Cell) []finding.Finding {
	b := c.Against
	var out []finding.Finding
	add := func(id string, s finding.Severity, message, action string) {
		out = append(out, finding.Finding{ID: id, Severity: s, Subject: row.Label, Message: message, Action: action})
	}
	least := stats.SmallestP(b.Old.N, b.New.N)
	switch {
	case b.Exact:
	case least > t.Options.Alpha && t.LeastDifferent > 0:
		add("too-few-runs", finding.Warning,
			fmt.Sprintf("%s cannot show a difference at alpha %v, however large: %d a side is the least", runs(b.Old.N, b.New.N), t.Options.Alpha, t.LeastDifferent),
			"measure with -count 10 or more")
	case c.AllEqual():
		add("all-equal", finding.Info, fmt.Sprintf("every run reads %v %s: the printed digits are too few to see its spread", c.Sorted[0], table.Unit),
			"measure more work per operation, or use tare compare")
	case b.P != nil && *b.P <= t.Options.Alpha && *b.PBH > t.Options.Alpha:
		add(judge.NotAfterAdjustment, finding.Info,
			fmt.Sprintf("p is at most %v for this row alone, but among the rows of this unit such a p is to be expected without any change", t.Options.Alpha),
			"measure this benchmark again, alone")
	}
	if b.Change.Difference != nil && !b.Exact {
		add("not-positive", finding.Info, "a value is zero or negative, so that the change is a difference and not a share", "")
	}
	if table.Exact && !b.Exact {
		add("not-exact", finding.Warning,
			fmt.Sprintf("the unit %s is declared exact, but values range from %v to %v", table.Unit, min(c.Sorted[0], c.Base.Sorted[0]), max(c.Sorted[len(c.Sorted)-1], c.Base.Sorted[len(c.Base.Sorted)-1])),
			"remove assume=exact from its Unit line, or find out why it varies")
	}
	return out
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

// cellFindings is what deserves a word about one side of a row.
func (t *Tables) cellFindings(table *Table, row *TableRow, c *Cell) []finding.Finding {
	var out []finding.Finding
	if len(c.Varies) > 0 {
		out = append(out, finding.Finding{ID: "mixed-results", Severity: finding.Warning, Subject: row.Label,
			Message: "results were put together that differ in " + strings.Join(c.Varies, ", "),
			Action:  "name the key in -row or -table to keep them apart, or in -ignore if it does not matter"})
	}
	if n := len(c.Sorted); !table.Exact && !c.constant() && n < t.LeastRuns && n >= t.LeastDifferent {
		out = append(out, finding.Finding{ID: "no-median-interval", Severity: finding.Info, Subject: row.Label,
			Message: fmt.Sprintf("%d runs carry no %v interval of their median: %d do", n, t.Options.Confidence, t.LeastRuns),
			Action:  "measure with -count 10 or more"})
	}
	return out
}

// tableFindings says what deserves a word about whole tables: sets of
// benchmarks that differ, sides taken one after the other, and drift.
func (t *Tables) tableFindings() {
	for _, table := range t.Tables {
		table.setFindings(t)
	}
	if f, ok := t.sequential(); ok {
		t.Findings = append(t.Findings, f)
	}
	t.Findings = append(t.Findings, t.drift()...)
	if f, ok := t.smallest(); ok {
		t.Findings = append(t.Findings, f)
	}
}

// smallest says which change these files could have shown at all, in the
// measured units.
func (t *Tables) smallest() (finding.Finding, bool) {
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
		return finding.Finding{}, false
	}
	message := fmt.Sprintf("these runs would have shown a change of %s four times in five", shareWords(worst.Detectable))
	if len(all) > 1 {
		message = fmt.Sprintf("these runs would have shown, four times in five, a change of %s in the typical row and of %s in the noisiest (%s)",
			shareWords(stats.Median(all)), shareWords(worst.Detectable), worst.Name)
	}
	return finding.Finding{ID: "smallest-change", Severity: finding.Info, Message: message,
		Action: "half of it takes four times the runs"}, true
}

// setFindings names the rows that one column has and its baseline has not,
// and the other way round.
func (table *Table) setFindings(t *Tables) {
	if len(t.Columns) > 1 && len(table.Columns) == 1 {
		var names []string
		for _, row := range table.Rows {
			names = append(names, row.Label)
		}
		table.Notes = append(table.Notes, finding.Finding{ID: judge.OneSideOnly, Severity: finding.Warning,
			Subject: settingWords(table.Config, table.Unit),
			Message: fmt.Sprintf("only %s has %s: nothing to compare", t.Columns[table.Columns[0]].Label, listed(names)),
			Action:  "if it is the same code under another configuration, name the differing key in -ignore"})
		return
	}
	for i := 1; i < len(table.Columns); i++ {
		base := 0
		if t.Options.Previous {
			base = i - 1
		}
		var gone, added []string
		for _, row := range table.Rows {
			switch old, new := row.Cells[base], row.Cells[i]; {
			case old != nil && new == nil:
				gone = append(gone, row.Label)
			case old == nil && new != nil:
				added = append(added, row.Label)
			}
		}
		if len(gone)+len(added) == 0 {
			continue
		}
		var parts []string
		if len(gone) > 0 {
			parts = append(parts, fmt.Sprintf("only %s has %s", t.Columns[table.Columns[base]].Label, listed(gone)))
		}
		if len(added) > 0 {
			parts = append(parts, fmt.Sprintf("only %s has %s", t.Columns[table.Columns[i]].Label, listed(added)))
		}
		table.Notes = append(table.Notes, finding.Finding{ID: "different-sets", Severity: finding.Warning, Subject: table.Unit,
			Message: strings.Join(parts, "; "), Action: "run the same benchmarks on both sides; what only one side has is in no mean"})
	}
}

func settingWords(config []Setting, unit string) string {
	for _, s := range config {
		if s.Key == "pkg" && s.Value != "" {
			return s.Value + " " + unit
		}
	}
	return unit
}

func listed(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// sequential says so when the two sides were taken one after the other: in
// two files, or in two parts of one.
func (t *Tables) sequential() (finding.Finding, bool) {
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
		return finding.Finding{}, false
	}
	return finding.Finding{ID: "sequential-blocks", Severity: finding.Warning,
		Message: "all runs of one side were taken before those of the other: every p here assumes that the machine stayed as it was in between",
		Action:  "use tare compare, which alternates, or alternate the runs yourself"}, true
}

// shareWords renders a share with two digits: "0.67 %", "210 %".
func shareWords(v float64) string {
	digits := max(0, 1-int(math.Floor(math.Log10(100*v))))
	return strconv.FormatFloat(100*v, 'f', digits, 64) + " %"
}

func after(a, b position) bool { return a.file != b.file || a.at > b.at }

// drift tests the run order of every sample for a trend and for neighbours
// that resemble each other. One finding of each kind speaks for all: those
// whose p-value stands after Benjamini and Hochberg's adjustment.
func (t *Tables) drift() []finding.Finding {
	type sample struct {
		row    *TableRow
		column string
		center float64
		runOrder
	}
	var samples []sample
	var trendP, serialP []float64
	for _, table := range t.Tables {
		if !judge.Measured(table.Unit) || table.Exact {
			continue
		}
		for _, row := range table.Rows {
			for i, c := range row.Cells {
				if c == nil || c.constant() {
					continue
				}
				s := sample{row, t.Columns[table.Columns[i]].Label, c.Estimate.Center, c.order}
				samples = append(samples, s)
				trendP, serialP = append(trendP, s.trend.P), append(serialP, s.serial.P)
			}
		}
	}
	report := func(p []float64, id string, strength func(sample) float64, say func(sample) string, action string) []finding.Finding {
		const alpha = 0.01
		adjusted := stats.BenjaminiHochberg(p)
		worst, n, of := -1, 0, 0
		for i, a := range adjusted {
			if math.IsNaN(a) {
				continue
			}
			of++
			if a > alpha {
				continue
			}
			n++
			if worst < 0 || strength(samples[i]) > strength(samples[worst]) {
				worst = i
			}
		}
		if n == 0 {
			return nil
		}
		w := samples[worst]
		return []finding.Finding{{ID: id, Severity: finding.Warning,
			Subject: fmt.Sprintf("%s in %s", w.row.Label, w.column),
			Message: fmt.Sprintf("%s (the clearest of %d among %d samples)", say(w), n, of), Action: action}}
	}
	out := report(trendP, "drift", func(s sample) float64 { return math.Abs(s.trend.Change / s.center) }, func(s sample) string {
		return fmt.Sprintf("values drift by %+.1f %% from the first third of the runs to the last", 100*s.trend.Change/s.center)
	}, "let the machine settle (tare doctor), and alternate the sides (tare compare)")
	return append(out, report(serialP, "autocorrelation", func(s sample) float64 { return s.serial.Correlation }, func(s sample) string {
		return fmt.Sprintf("neighbouring runs resemble each other (rank correlation %.2f), so that n counts more than it is worth", s.serial.Correlation)
	}, "alternate the sides (tare compare), or space the runs out")...)
}
