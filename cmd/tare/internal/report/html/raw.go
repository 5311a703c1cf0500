package html

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/unit"
)

// mostRounds is the most rounds of one benchmark in a report. Of more rounds
// the report has every nth, and result.jsonl has all.
const mostRounds = 2400

// rawText writes a line per round, values by variant, in a unit. A line "@block
// seconds" marks the begin of a block. It is empty if no value is known.
func rawText(e *report.Evidence) (shownUnit, text, note string) {
	var all []float64
	for _, values := range e.Values {
		if finite := report.Finite(values); len(finite) > 0 {
			all = append(all, stats.Median(finite))
		}
	}
	if len(all) == 0 {
		return "", "", ""
	}
	scale := unit.Scaling(e.Unit, all...)
	var b strings.Builder
	step := 1
	if n := len(e.Values[0]); n > mostRounds {
		step = (n + mostRounds - 1) / mostRounds
		note = fmt.Sprintf("one in %d of %d rounds (result.jsonl has all of them)", step, n)
	}
	last := -1
	for i := 0; i < len(e.Values[0]); i += step {
		if e.Blocks != nil && e.Blocks[i] != last {
			last = e.Blocks[i]
			fmt.Fprintf(&b, "@%d %.1f\n", last, e.At[i])
		}
		for v := range e.Values {
			if v > 0 {
				b.WriteByte('\t')
			}
			if value := e.Values[v][i]; words.Known(value) {
				b.WriteString(strconv.FormatFloat(value*scale.Factor, 'g', 5, 64))
			} else {
				b.WriteByte('-')
			}
		}
		b.WriteByte('\n')
	}
	return scale.Label(e.Unit), b.String(), note
}
