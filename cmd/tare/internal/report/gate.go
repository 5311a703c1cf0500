package report

import (
	"fmt"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// Gate says why a gate did not pass, with the name of every benchmark that
// causes it, or what a pass covers.
func Gate(c *result.Comparison) (outcome judge.Gate, why string) {
	o := judge.GateOf(c)
	within := words.Percent(c.Delta)
	switch {
	case o.Gate == judge.Regression:
		why = fmt.Sprintf("gate: a regression, and not within %s: %s", within, rowNames(o.Rows))
	case len(o.Rows) > 0:
		why = fmt.Sprintf("gate: a regression beyond %s is not excluded: %s", within, rowNames(o.Rows))
	case len(o.Gone) > 0:
		why = "gate: no result on the new side: " + rowNames(o.Gone)
	case o.Failed != nil:
		why = fmt.Sprintf("gate: %s: %s", o.Failed.Subject, o.Failed.Message)
	case o.Gate == judge.Open:
		why = "gate: nothing was compared"
	case o.Horizon > 0:
		why = fmt.Sprintf("gate: no regression beyond %s: covers what happens at least every %.2g s", within, o.Horizon)
	}
	return o.Gate, why
}

func rowNames(rows []*result.BenchmarkComparison) string {
	var names []string
	for _, b := range rows {
		names = append(names, words.Printable(words.RowName(b.Key, b.Row)))
	}
	return strings.Join(names, ", ")
}
