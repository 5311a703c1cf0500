package judge

import (
	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// memoryFindings distinguishes memory that is retained from a collector that is
// paced differently.
func memoryFindings(rows []*row) {
	lives := make(map[rowsKey]*row)
	for _, r := range rows {
		if r.Unit == "live-B" {
			lives[rowsKey{r.Key, r.NewVariant}] = r
		}
	}
	for _, goal := range rows {
		live := lives[rowsKey{goal.Key, goal.NewVariant}]
		switch {
		case goal.Unit != "goal-B" || live == nil:
		case live.Verdict == result.Slower:
			live.Findings = append(live.Findings, catalog.MemoryRetained.Of(live.Name, finding.Change("live", live.Change.Ratio-1)))
		case live.Verdict == result.Same && goal.Verdict == result.Slower:
			goal.Findings = append(goal.Findings, catalog.CollectorPaced.Of(goal.Name, finding.Change("goal", goal.Change.Ratio-1)))
		}
	}
}
