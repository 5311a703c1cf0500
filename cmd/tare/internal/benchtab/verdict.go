package benchtab

import (
	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// decide adjusts the p-values over all rows of a family and gives the verdicts.
func (t *Tables) decide() {
	judge.Decide(t.rows, t.Options.Alpha, t.Options.Delta, t.Options.Gate)
	for i := range t.rows {
		if b := &t.rows[i]; b.P != nil && b.Verdict == result.Undecided {
			b.Needed = t.needed(b)
		}
	}
}

// needed estimates how many runs per variant would decide an undecided row. It
// is 0 if only the adjustment prevents the verdict.
func (t *Tables) needed(b *result.BenchmarkComparison) int {
	iv := judge.Between(b.Change)
	if !iv.Known() {
		return t.LeastDifferent
	}
	if iv.Excludes(0) || !iv.Relative {
		return 0
	}
	n := iv.Needed(t.Options.Delta, 2/(1/float64(b.Old.N)+1/float64(b.New.N)))
	if n == 0 || n > 1e6 {
		return 0
	}
	return max(n, max(b.Old.N, b.New.N)+1)
}
