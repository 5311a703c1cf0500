package judge

import (
	"math"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// Gate is the outcome of "no regression beyond δ".
type Gate = result.Gate

// The outcomes of a gate.
const (
	Pass       = result.GatePass
	Regression = result.GateRegression
	Open       = result.GateOpen
)

// GateRows reads a table as a gate, by the primary unit of each benchmark, and
// returns the rows that decide the outcome: those that regressed, or else those
// that are open; none where nothing was compared. Not significant is never a
// pass.
func GateRows(c result.Comparison) (Gate, []*result.BenchmarkComparison) {
	rows := 0
	var regressed, open []*result.BenchmarkComparison
	first := primaries(c.Benchmarks)
	for i := range c.Benchmarks {
		r := &c.Benchmarks[i]
		if !first[i] || r.Verdict == result.Skipped || r.Verdict == result.Missing {
			continue
		}
		rows++
		switch r.Gate {
		case Pass:
		case Regression:
			regressed = append(regressed, r)
		default:
			open = append(open, r)
		}
	}
	switch {
	case len(regressed) > 0:
		return Regression, regressed
	case len(open) > 0 || rows == 0:
		return Open, open
	}
	return Pass, nil
}

// Gone are the rows of benchmarks that were measured on the old side alone.
func Gone(c result.Comparison) (gone []*result.BenchmarkComparison) {
	first := primaries(c.Benchmarks)
	for i := range c.Benchmarks {
		if r := &c.Benchmarks[i]; first[i] && r.Verdict == result.Missing && !math.IsNaN(r.Old.Center) {
			gone = append(gone, r)
		}
	}
	return gone
}

// Horizon is the longest horizon of the guards of a table, in seconds: what
// happens at least so often is covered. It is 0 without a guard.
func Horizon(c result.Comparison) (longest float64) {
	for _, r := range c.Benchmarks {
		if r.Guard != nil {
			longest = max(longest, r.Guard.Horizon)
		}
	}
	return longest
}

// Joint is the joint interval on the scale of a change: new/old, or the
// difference in the unit; nil where it is unknown.
func (iv Interval) Joint() *result.Interval {
	if w := iv.JointHi - iv.JointLo; math.IsNaN(w) || math.IsInf(w, 0) {
		return nil
	}
	if !iv.Relative {
		return &result.Interval{Lo: iv.JointLo, Hi: iv.JointHi}
	}
	return &result.Interval{Lo: math.Exp(iv.JointLo), Hi: math.Exp(iv.JointHi)}
}
