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
	// Gone have results in the old variant only. Lost is a failed run, or a
	// result that could not be read. With either, the gate of a table of files is
	// open.
	Gone []*result.BenchmarkComparison
	Lost *finding.Finding
	// Horizon is a time in seconds, or 0 without long runs. A pass covers events
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
	unread := maps.Clone(typed)
	rows, first := 0, primaries(c.Benchmarks)
	for i := range c.Benchmarks {
		r := &c.Benchmarks[i]
		_, read := limits[r.Unit]
		delete(unread, r.Unit)
		// The first row of a benchmark without numbers represents all its units.
		if read = read || first[i] && (time || math.IsNaN(r.Old.Center)); read && r.LongRuns != nil {
			o.Horizon = max(o.Horizon, r.LongRuns.Seconds/3)
		}
		switch {
		case !read || r.Verdict == result.Skipped || r.Reason == result.ReasonEverywhere:
		case r.Verdict == result.Missing:
			if !math.IsNaN(r.Old.Center) {
				o.Gone = append(o.Gone, r)
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
	lost := func(f finding.Finding) bool {
		u, _ := f.Values["unit"].(string)
		_, read := limits[u]
		return catalog.FailedRun.Is(f) || catalog.MalformedLine.Is(f) && (u == "" || read)
	}
	if i := slices.IndexFunc(c.Findings, lost); i >= 0 {
		o.Lost = &c.Findings[i]
	}
	numbers := func(r result.BenchmarkComparison) bool { return !math.IsNaN(r.Old.Center) }
	if slices.ContainsFunc(c.Benchmarks, numbers) && !maps.Equal(typed, result.DefaultLimits()) {
		o.Unread = slices.Sorted(maps.Keys(unread))
	}
	switch {
	case len(o.Rows) > 0:
		o.Gate = Regression
	case len(open) > 0, rows == 0, len(o.Gone) > 0, o.Lost != nil:
		o.Gate, o.Rows = Open, open
	default:
		o.Gate = Pass
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
