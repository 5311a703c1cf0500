package judge

import (
	"maps"
	"math"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// Gate is the outcome of "no regression beyond δ".
type Gate = result.Gate

// The outcomes of a gate.
const (
	Pass       = result.GatePass
	Regression = result.GateRegression
	Open       = result.GateOpen
)

// Outcome is the outcome of a gate and the rows that decide it.
type Outcome struct {
	Gate Gate
	// Rows regressed, or else are open. There are none if nothing was compared.
	Rows []*result.BenchmarkComparison
	// Unread are units that the gate should use but no row has.
	Unread []string
	// Absent are benchmarks without a result of the new variant: deleted, skipped,
	// failed or not reached. Lost are results that could not be read, packages
	// that could not be measured, and failed runs. With either the gate is open,
	// unless its limits pass what is missing and something was compared.
	Absent []*result.BenchmarkComparison
	Lost   []finding.Finding
	// Horizon is a time in seconds, or 0 without long runs that agree with the
	// slices. A pass covers events
	// that happen at least this often: one that does was missed by the long runs
	// of a row with a probability of e⁻³ (the rule of three).
	Horizon float64
}

// GateOf reads a table as a gate, by the units that have a limit. Time that is
// not significantly worse is not enough to pass.
func GateOf(c *result.Comparison) Outcome {
	var o Outcome
	var open []*result.BenchmarkComparison
	limits := c.Gate
	if len(limits) == 0 {
		limits = result.DefaultLimits()
	}
	_, time := limits["sec/op"]
	typed := maps.Clone(limits)
	delete(typed, result.AcceptTrailer)
	delete(typed, result.MissingPass)
	_, missing := limits[result.MissingPass]
	unread := maps.Clone(typed)
	rows, first, covered := 0, primaries(c.Benchmarks), true
	for i := range c.Benchmarks {
		r := &c.Benchmarks[i]
		_, read := limits[r.Unit]
		delete(unread, r.Unit)
		// The first row of a benchmark without numbers represents all its units.
		if read = read || first[i] && (time || math.IsNaN(r.Old.Center)); read && r.LongRuns != nil {
			o.Horizon, covered = max(o.Horizon, r.LongRuns.Seconds/3), covered && r.LongRuns.Seconds > 0
		}
		switch {
		case !read:
		case r.Verdict == result.Skipped || r.Verdict == result.NotReached || r.Verdict == result.Failed || r.Verdict == result.Missing:
			if isNew := r.Reason == result.ReasonNew || math.IsNaN(r.Old.Center) && !math.IsNaN(r.New.Center); !isNew {
				o.Absent = append(o.Absent, r)
			}
		default:
			switch rows++; r.Gate {
			case Pass:
			case Regression:
				o.Rows = append(o.Rows, r)
			default:
				open = append(open, r)
			}
		}
	}
	for _, f := range c.Findings {
		u, _ := f.Values["unit"].(string)
		_, read := limits[u]
		if catalog.FailedRun.Is(f) || catalog.NotBuilt.Is(f) || catalog.NotRun.Is(f) || catalog.PackageNotReached.Is(f) ||
			catalog.MalformedLine.Is(f) && (u == "" || read) {
			o.Lost = append(o.Lost, f)
		}
	}
	numbers := func(r result.BenchmarkComparison) bool { return !math.IsNaN(r.Old.Center) }
	if slices.ContainsFunc(c.Benchmarks, numbers) && !maps.Equal(typed, result.DefaultLimits()) {
		o.Unread = slices.Sorted(maps.Keys(unread))
	}
	switch {
	case len(o.Rows) > 0:
		o.Gate = Regression
	case len(open) > 0, rows == 0, !missing && len(o.Absent)+len(o.Lost) > 0:
		o.Gate, o.Rows = Open, open
	default:
		o.Gate = Pass
	}
	if !covered {
		o.Horizon = 0
	}
	return o
}

// Joint is the joint interval on the scale of a change: new/old, or the
// difference in the unit. It is nil if unknown.
func (iv Interval) Joint() *result.Interval {
	if w := iv.JointHi - iv.JointLo; math.IsNaN(w) || math.IsInf(w, 0) {
		return nil
	}
	if !iv.Relative {
		return &result.Interval{Lo: iv.JointLo, Hi: iv.JointHi}
	}
	return &result.Interval{Lo: math.Exp(iv.JointLo), Hi: math.Exp(iv.JointHi)}
}
