package judge

import (
	"cmp"
	"math"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/internal/finding"
)

type row struct {
	result.BenchmarkComparison
	// iv is the change as it was judged, in logarithms.
	iv Interval
	// witness are its long runs, which may contradict it.
	witness *witness
	// family is the number of rows among which measuring proves a difference.
	family int
	// settled means that measuring may end for the row.
	settled bool
	// expected is the number of blocks at which the row should be settled.
	expected int
	// accepted is the accepted regression that the gate needs to pass.
	accepted *result.Accepted
	// blocks are the differences of its first blocks. changes are the differences
	// of all blocks in their order, for a row of time on one machine.
	blocks, changes []float64
}

// decide gives a row its verdict and its outcome of the gate, from all its
// data. No other function does. proven reports that the difference is
// significant among all rows. Rows without numbers keep the verdict that gives
// the reason.
func (r *row) decide(plan result.Plan, limits result.Limits, proven bool) {
	delta := cmp.Or(r.Delta, plan.Delta)
	if r.Exact { // every difference counts
		delta = 0
	}
	contradicted := r.witness.contradicts(delta)
	if contradicted {
		r.iv = r.witness.around(r.iv, delta, plan.Alpha)
		r.Joint = r.iv.Joint()
	}
	if r.P != nil {
		if r.Verdict = r.iv.Verdict(delta, r.Direction(), proven); r.worthless() {
			r.Verdict = result.Undecided
		}
	}
	r.LongRuns = r.witness.result(contradicted, delta)
	if r.P != nil && r.iv.Relative {
		r.Change = r.witness.reach(r.iv, r.Verdict, r.iv.tolerance(delta), plan.Alpha).Change()
	}
	if r.witness != nil && r.witness.hidden {
		r.Change = UnknownChange() // it also depends on who had the CPUs
	}
	r.decideGate(delta, plan, limits, limits.Accepts(plan, r.Name, r.NewVariant))
	// If only the adjustment prevents the verdict, the interval may be precise
	// enough. More blocks settle no contradiction and no severe finding.
	if r.Needed = 0; r.Verdict == result.Undecided && !contradicted && !r.worthless() && !r.iv.Excludes(0) {
		r.Needed = r.iv.Needed(delta, float64(r.Blocks))
	}
}

// worthless reports whether a severe finding is about the row: its numbers decide
// nothing.
func (r *row) worthless() bool {
	return slices.ContainsFunc(r.Findings, func(f finding.Finding) bool { return f.Severity == finding.Severe })
}

func (r *row) decideGate(delta float64, plan result.Plan, limits result.Limits, accepted *result.Accepted) {
	limit, none := limits.For(r.Unit, delta) // no interval of a count that varies excludes every rise
	r.Gate, r.accepted = r.gate(limit, plan.Alpha, none), nil
	if r.Gate == Pass || accepted == nil || accepted.Limit <= limit && !none {
		return
	}
	if r.Gate = r.gate(accepted.Limit, plan.Alpha, false); r.Gate == Pass {
		r.accepted = accepted
	}
}

// gate is the outcome of the gate at a limit. With none, a count must not be
// exactly more, nor proven to be.
func (r *row) gate(limit, alpha float64, none bool) Gate {
	if none || r.Exact {
		const rounding = 1e-9
		within := !none && math.Abs(r.Change.Ratio-1) <= limit+rounding // false for a difference
		if (r.Verdict == result.Slower || r.Verdict == result.Different) && !within {
			return Regression
		}
		return Pass
	}
	if r.worthless() {
		return Open
	}
	return r.witness.around(r.iv, limit, alpha).Gate(limit, r.Direction())
}

// decideAll decides the rows of a table together, since a run tests as many
// hypotheses as it has rows. A row is faster or slower only if Holm's p-value is
// at most alpha. Holm's adjustment is over all rows of time, and over all rows of
// other units. So a run in which nothing changed calls any row of time different
// with probability at most alpha, and any other row with as much.
//
// If a study with a total chooses by its data which rows to look at again,
// crossing a boundary limits the error, and Holm's adjustment alone does not.
// Then a difference has to be proven among the family of its row.
func decideAll(rows []*row, plan result.Plan, limits result.Limits, total bool) {
	var p [2][]float64
	familyOf := func(r *row) *[]float64 {
		if r.Unit == "sec/op" {
			return &p[0]
		}
		return &p[1]
	}
	at := make([]int, len(rows))
	for i, r := range rows {
		family := familyOf(r)
		at[i] = len(*family)
		switch {
		case r.P != nil:
			*family = append(*family, *r.P)
		case r.Exact: // its variants might have differed
			*family = append(*family, 1)
		}
	}
	holm := map[*[]float64][]float64{&p[0]: stats.Holm(p[0]), &p[1]: stats.Holm(p[1])}
	for i, r := range rows {
		proven, among := false, len(*familyOf(r))
		if r.P != nil {
			a := max(*r.P, holm[familyOf(r)][at[i]])
			r.PHolm = &a
			proven = a <= plan.Alpha
			if total && r.family > 0 {
				among = r.family
				proven = proven && *r.P <= plan.Alpha/float64(among)
			}
		}
		r.decide(plan, limits, proven)
		if a := r.accepted; a != nil {
			r.Findings = append(r.Findings, catalog.Accepted.Of(r.Name, finding.Text("unit", r.Unit), finding.Share("limit", a.Limit), finding.Text("because", a.Because)))
		}
		noun := "benchmark"
		if r.Unit != "sec/op" {
			noun = "row"
		}
		if r.P != nil && !proven && r.Verdict == result.Undecided && r.iv.Excludes(0) && (r.LongRuns == nil || !r.LongRuns.Contradict) {
			r.Findings = append(r.Findings, catalog.NotAfterAdjustment.Of(r.Name,
				finding.Number("p", *r.P), finding.Count("rows", among, noun)))
		}
	}
}

// Decide gives the rows of a table of files their verdicts, adjusted p-values
// and outcomes of the gate. They have no blocks.
func Decide(rows []result.BenchmarkComparison, alpha, delta float64, limits result.Limits) {
	all := make([]*row, len(rows))
	for i := range rows {
		all[i] = &row{BenchmarkComparison: rows[i], iv: intervalOf(&rows[i])}
	}
	decideAll(all, result.Plan{Alpha: alpha, Delta: delta}, limits, false)
	for i, r := range all {
		needed := rows[i].Needed
		rows[i] = r.BenchmarkComparison
		rows[i].Needed = needed
	}
}

func intervalOf(r *result.BenchmarkComparison) Interval {
	iv := Between(r.Change)
	switch {
	case r.Reason == result.ReasonSameCode:
		return exactInterval(0, true, 0)
	case r.Exact:
		return exactInterval(iv.Center, iv.Relative, iv.N)
	case r.Joint == nil:
	case iv.Relative:
		iv.JointLo, iv.JointHi = math.Log(r.Joint.Lo), math.Log(r.Joint.Hi)
	default:
		iv.JointLo, iv.JointHi = r.Joint.Lo, r.Joint.Hi
	}
	return iv
}

func unknown() Interval {
	nan := math.NaN()
	return Interval{Center: nan, Lo: nan, Hi: nan, JointLo: nan, JointHi: nan, Relative: true}
}
