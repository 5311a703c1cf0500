package judge

import (
	"math"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// Gate is the outcome of "no regression beyond δ".
type Gate string

const (
	// Pass: every benchmark's interval excludes a regression beyond δ.
	Pass Gate = "pass"
	// Regression: a benchmark is slower by more than δ, after the adjustment
	// over the family.
	Regression Gate = "regression"
	// Open: no regression is proven, and not all are excluded.
	Open Gate = "undecided"
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
		iv := ofRow(r)
		outcome := iv.Gate(c.Delta, r.Direction())
		if guardOf(r).AllowsGate(iv, outcome, c.Delta, r.Direction()) != result.NotHeld {
			outcome = Open
		}
		switch outcome {
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

// ofRow is the interval of a finished row.
func ofRow(r *result.BenchmarkComparison) Interval {
	iv := Between(r.Change)
	switch {
	case r.Reason == result.ReasonSameCode:
		return Point(0, true, 0)
	case r.Exact:
		return Point(iv.Center, iv.Relative, iv.N)
	case r.Joint == nil:
	case iv.Relative:
		iv.JointLo, iv.JointHi = math.Log(r.Joint.Lo), math.Log(r.Joint.Hi)
	default:
		iv.JointLo, iv.JointHi = r.Joint.Lo, r.Joint.Hi
	}
	return iv
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
