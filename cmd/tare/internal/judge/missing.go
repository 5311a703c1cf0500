package judge

import (
	"math"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// missing is the row of a unit that cannot be compared. One variant does not
// have it, or not in every block, or has no number. Ok is false if neither
// variant has it.
func (j judged) missing(q namedReading) (row result.BenchmarkComparison, ok bool) {
	row = j.absent(q.name)
	sides := 0
	for i, v := range []int{j.old, j.new} {
		e, found, reported := j.oneSide(q, v)
		if !reported {
			continue
		}
		sides++
		if *[]*result.Estimate{&row.Old, &row.New}[i] = e; found != nil {
			row.Findings = append(row.Findings, *found)
		}
	}
	if sides == 2 {
		row.Verdict = result.Undecided
	}
	return row, sides > 0
}

// absent is a row without numbers.
func (j judged) absent(unit string) result.BenchmarkComparison {
	return result.BenchmarkComparison{
		Key: j.benchmark.Key, Unit: unit, OldVariant: j.old, NewVariant: j.new,
		Old: Unknown(), New: Unknown(), Change: UnknownChange(),
		Verdict: result.Missing, Blocks: len(j.blocks),
	}
}

// oneSide is the level of a unit in one variant, with a finding if some block
// has no number. Reported is false if no slice has the unit.
func (j judged) oneSide(q namedReading, v int) (e result.Estimate, found *finding.Finding, reported bool) {
	unit, label := finding.Text("unit", q.name), finding.Text("variant", j.study.Variants[v].Label)
	var blocks []block
	for _, b := range q.blocks(j.blocks, v) {
		if read([]block{b}, q.from, v)[0].present() {
			blocks = append(blocks, b)
		}
	}
	if len(blocks) == 0 {
		if !slices.ContainsFunc(j.blocks, func(b block) bool { return b.reports(q.name, v) }) {
			return e, nil, false
		}
		f := catalog.NotANumber.Of(j.benchmark.Name, unit, label)
		e = Unknown()
		e.N = len(j.blocks)
		return e, &f, true
	}
	values := read(blocks, q.from, v)[0]
	e = level(values, funcOrders(blocks, j.benchmark.FuncOrders, v), j.study.Alpha)
	if c, ok := values.same(); ok && !Measured(q.name) {
		e = result.Estimate{Center: c, Lo: c, Hi: c, N: len(values)}
	}
	if len(blocks) < len(j.blocks) {
		f := catalog.IncompleteMetric.Of(j.benchmark.Name, unit, label)
		found = &f
	}
	return e, found, true
}

func (b block) reports(metric string, v int) bool {
	return slices.ContainsFunc(slices.Concat(b.rounds, b.counting), func(r result.Round) bool {
		value, ok := r.Slices[v].Metrics[metric]
		return ok && (math.IsNaN(value) || math.IsInf(value, 0))
	})
}
