package judge

import (
	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/internal/finding"
)

// The verdicts need assumptions that the blocks themselves can contradict. The
// difference of a block must not depend on the block before, nor on the start
// order. The time per operation must not depend on the length of a slice. Each
// of the three kinds of test gets a third of α for all rows of a run together.
// So if all assumptions are true, a run gets a warning with probability at most
// α.
const assumptionKinds = 3

// assumptionAlpha is the error rate of one kind of test over a run.
func assumptionAlpha(alpha float64) float64 { return alpha / assumptionKinds }

// assumptions tests the rows of time of a recording.
type assumptions struct {
	rows         []int // into the comparison
	serial, role []float64
}

// add tests the blocks of a row of time.
func (a *assumptions) add(row int, b result.Benchmark, old, new int) {
	good := goodBlocks(b.Blocks, old, new)
	changes := BlockRatios(b, "sec/op", old, new)
	if len(changes) != len(good) || machinesOf(good) != nil {
		return
	}
	oldFirst := make([]bool, len(good))
	for i, k := range good {
		oldFirst[i] = k.First == old
	}
	a.test(row, changes, oldFirst)
}

// test tests the changes of blocks. oldFirst marks the blocks in which the old
// variant started first.
func (a *assumptions) test(row int, changes []float64, oldFirst []bool) {
	var first, second []float64
	for i, d := range changes {
		if oldFirst[i] {
			first = append(first, d)
		} else {
			second = append(second, d)
		}
	}
	a.rows = append(a.rows, row)
	a.serial = append(a.serial, stats.SerialCorrelation(changes).P)
	a.role = append(a.role, stats.MannWhitney(first, second).P)
}

// find adds the findings to the rows.
func (a *assumptions) find(rows []*row, alpha float64) {
	for k, p := range map[*finding.Kind][]float64{&kind.BlocksCorrelated: a.serial, &kind.StartMatters: a.role} {
		for i, adjusted := range stats.Holm(p) {
			if adjusted <= assumptionAlpha(alpha) {
				r := rows[a.rows[i]]
				r.Findings = append(r.Findings, k.Of(r.Name, finding.Number("p", p[i])))
			}
		}
	}
}

// testAssumptions tests the rows of time of a comparison.
func testAssumptions(rec *result.Recording, rows []*row) {
	index := make(map[result.Key]result.Benchmark)
	for _, b := range rec.Benchmarks {
		index[b.Key] = b
	}
	var a assumptions
	for i := range rows {
		if r := rows[i]; r.Unit == "sec/op" && r.Blocks > 0 && r.iv.Known() {
			a.add(i, index[r.Key], r.OldVariant, r.NewVariant)
		}
	}
	a.find(rows, rec.Study.Alpha)
}
