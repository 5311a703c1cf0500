package judge

import (
	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/internal/finding"
)

// The verdicts need assumptions that the blocks themselves can contradict. The
// difference of a block must not depend on the block before. The time per
// operation must not depend on the length of a slice, nor on its place in the
// process. Each of the three kinds of test gets a third of α for all rows of a
// run together. So if all assumptions are true, a run gets a warning with
// probability at most α.
const assumptionKinds = 3

// assumptionAlpha is the error rate of one kind of test over a run.
func assumptionAlpha(alpha float64) float64 { return alpha / assumptionKinds }

func warnCorrelated(rows []*row, alpha float64) {
	var tested []*row
	var p []float64
	for _, r := range rows {
		if r.changes != nil && r.iv.Known() {
			tested, p = append(tested, r), append(p, stats.SerialCorrelation(r.changes).P)
		}
	}
	for i, adjusted := range stats.Holm(p) {
		if adjusted <= assumptionAlpha(alpha) {
			tested[i].Findings = append(tested[i].Findings, catalog.BlocksCorrelated.Of(tested[i].Name, finding.Number("p", p[i])))
		}
	}
}
