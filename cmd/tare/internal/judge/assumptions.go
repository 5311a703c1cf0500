package judge

import (
	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/cmd/tare/internal/result"
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

// testAssumptions tests the rows of time of a comparison.
func testAssumptions(rec *result.Recording, rows []*row) {
	index := make(map[result.Key]result.Benchmark)
	for _, b := range rec.Benchmarks {
		index[b.Key] = b
	}
	var tested []*row
	var changes [][]float64
	for _, r := range rows {
		if r.Unit != "sec/op" || r.Blocks == 0 || !r.iv.Known() {
			continue
		}
		b := index[r.Key]
		good := goodBlocks(b.Blocks, r.OldVariant, r.NewVariant)
		ratios := BlockRatios(b, "sec/op", r.OldVariant, r.NewVariant)
		if len(ratios) == len(good) && machinesOf(good) == nil {
			tested, changes = append(tested, r), append(changes, ratios)
		}
	}
	warnCorrelated(tested, changes, rec.Study.Alpha)
}

// warnCorrelated adds a finding to the rows whose successive changes are
// correlated.
func warnCorrelated(rows []*row, changes [][]float64, alpha float64) {
	p := make([]float64, len(rows))
	for i, c := range changes {
		p[i] = stats.SerialCorrelation(c).P
	}
	for i, adjusted := range stats.Holm(p) {
		if adjusted <= assumptionAlpha(alpha) {
			rows[i].Findings = append(rows[i].Findings, kind.BlocksCorrelated.Of(rows[i].Name, finding.Number("p", p[i])))
		}
	}
}
