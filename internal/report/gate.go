package report

import (
	"fmt"
	"strings"

	"github.com/tarebench/tare/internal/report/words"
	"github.com/tarebench/tare/internal/result"
)

// Gate reports why a gate did not pass, with the name of every benchmark that causes
// it: rows are those that regressed, or those
// of which that is not excluded.
func Gate(c *result.Comparison, rows []*result.BenchmarkComparison, regressed bool) string {
	switch who := rowNames(rows); {
	case regressed:
		return fmt.Sprintf("gate: a regression, and not within %s: %s", words.Percent(c.Delta), who)
	case who == "":
		return "gate: nothing was compared"
	default:
		return fmt.Sprintf("gate: a regression beyond %s is not excluded: %s", words.Percent(c.Delta), who)
	}
}

// GateGone says that a gate did not pass because benchmarks have no result on
// the new side.
func GateGone(rows []*result.BenchmarkComparison) string {
	return "gate: no result on the new side: " + rowNames(rows)
}

func rowNames(rows []*result.BenchmarkComparison) string {
	var names []string
	for _, b := range rows {
		names = append(names, words.Printable(words.RowName(b.Key, b.Row)))
	}
	return strings.Join(names, ", ")
}
