package judge

import (
	"math"

	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/unit"
)

// Gate is what "no regression beyond δ" comes to.
type Gate string

const (
	// Pass: every benchmark's interval excludes a regression beyond δ.
	Pass Gate = "pass"
	// Regression: a benchmark is slower, after Holm's adjustment over the
	// table, and its interval does not exclude that it is by more than δ.
	Regression Gate = "regression"
	// Open: no regression is proven, and not all are excluded.
	Open Gate = "undecided"
)

// GateRows reads a table as a gate, by the primary unit of each benchmark, and
// returns the rows behind the outcome: those that regressed, or else those that
// are open; none where nothing was compared.
// Not significant is never a pass: a benchmark passes only where the far end
// of its interval lies within δ. "All pass" needs no adjustment for many
// benchmarks (one false pass needs its own error); "any regression" does.
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
		switch {
		case r.Reason == result.ReasonSameCode, excludesRegression(*r, c.Delta):
		case r.Verdict == result.Slower && (r.Exact || r.PHolm != nil && *r.PHolm <= c.Alpha):
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

// excludesRegression tells whether the worst end of the row's interval is
// within delta. A difference in units has no per cent: there only a row that
// is not worse at all passes.
func excludesRegression(r result.BenchmarkComparison, delta float64) bool {
	if d := r.Change.Difference; d != nil {
		if r.Direction() == unit.HigherIsBetter {
			return d.Lo >= 0
		}
		return d.Hi <= 0
	}
	if r.Direction() == unit.HigherIsBetter {
		return r.Change.Lo > 1/(1+delta)
	}
	return r.Change.Hi < 1+delta
}
