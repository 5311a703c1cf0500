package report

import (
	"fmt"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// Gate reads a comparison as a gate, and says why it did not pass, with the
// name of every benchmark that causes it, or what a pass covers. A comparison of files does not pass
// either where a run failed or a benchmark has no new result.
func Gate(c *result.Comparison, files bool) (outcome judge.Gate, why string) {
	outcome, rows := judge.GateRows(*c)
	switch {
	case outcome == judge.Regression:
		return outcome, fmt.Sprintf("gate: a regression, and not within %s: %s", words.Percent(c.Delta), rowNames(rows))
	case outcome == judge.Open && len(rows) == 0:
		return outcome, "gate: nothing was compared"
	case outcome == judge.Open:
		return outcome, fmt.Sprintf("gate: a regression beyond %s is not excluded: %s", words.Percent(c.Delta), rowNames(rows))
	case !files:
		if h := judge.Horizon(*c); h > 0 {
			why = fmt.Sprintf("gate: no regression beyond %s: covers what happens at least every %.2g s", words.Percent(c.Delta), h)
		}
		return outcome, why
	}
	if gone := judge.Gone(*c); len(gone) > 0 {
		return judge.Open, "gate: no result on the new side: " + rowNames(gone)
	}
	for _, f := range c.Findings {
		if kind.FailedRun.Is(f) {
			return judge.Open, fmt.Sprintf("gate: %s: %s", f.Subject, f.Message)
		}
	}
	return outcome, ""
}

func rowNames(rows []*result.BenchmarkComparison) string {
	var names []string
	for _, b := range rows {
		names = append(names, words.Printable(words.RowName(b.Key, b.Row)))
	}
	return strings.Join(names, ", ")
}
