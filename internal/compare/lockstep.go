package compare

import (
	"fmt"
	"math"
	"slices"

	"github.com/tarebench/tare/finding"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/stats"
	"github.com/tarebench/tare/unit"
)

// IDs of findings that stand in for a comparison.
const (
	oneSideOnly = "one-side-only"
	skipped     = "skipped"
)

// Lockstep judges a whole recording: every variant against the first, every
// benchmark, every unit. The same recording gives the same comparison.
func Lockstep(rec *result.Recording) result.Comparison {
	c := result.Comparison{
		Schema:     result.Schema,
		Variants:   rec.Study.Variants,
		Alpha:      rec.Study.Alpha,
		Delta:      rec.Study.Delta,
		Machine:    rec.Study.Machine,
		Findings:   slices.Clone(rec.Findings),
		Profiles:   rec.Profiles,
		Incomplete: rec.End == nil || rec.End.Interrupted,
	}
	for i, b := range rec.Benchmarks {
		rounds, blocks := rec.Of(i)
		for v := 1; v < len(rec.Study.Variants); v++ {
			c.Benchmarks = append(c.Benchmarks, rowsOf(rec, i, b, rounds, blocks, v)...)
		}
	}
	Adjust(c.Benchmarks, rec.Study.Alpha)
	c.GeoMeans = geoMeans(c.Benchmarks)
	c.Summary = summarize(c.Benchmarks)
	return c
}

// rowsOf are the rows of one benchmark and one new variant; one row without
// numbers where the benchmark failed, is missing on a side, or gave nothing.
func rowsOf(rec *result.Recording, index int, b result.Benchmark, rounds []result.Round, blocks []result.Block, v int) []result.BenchmarkComparison {
	empty := result.BenchmarkComparison{
		Key: b.Key, Unit: "sec/op", NewVariant: v,
		Old: unknown(), New: unknown(), Change: unknownChange(),
		Verdict: result.Undecided,
	}
	note := func(id string, severity finding.Severity, message, action string) {
		empty.Findings = append(empty.Findings, finding.Finding{ID: id, Severity: severity, Subject: b.Name, Message: message, Action: action})
	}
	for _, s := range rec.Stops {
		if s.Benchmark == index && s.Reason == "failed" && (s.Variant == 0 || s.Variant == v) {
			empty.Verdict = result.Failed
			note("failed", finding.Severe, fmt.Sprintf("failed in %s: %s", label(rec, s.Variant), s.Message), "")
			return []result.BenchmarkComparison{empty}
		}
	}
	for _, side := range []int{0, v} {
		if slices.Contains(b.Missing, side) {
			note(oneSideOnly, finding.Info, "not in "+label(rec, side), "")
			return []result.BenchmarkComparison{empty}
		}
	}
	j := judge(rec.Study, b, rounds, blocks, 0, v, true)
	if len(j.Rows) == 0 {
		if s, ok := stopOf(rec, index, "skipped"); ok {
			note(skipped, finding.Info, "skipped: "+s.Message, "")
			return []result.BenchmarkComparison{empty}
		}
		note("too-few-blocks", finding.Warning, fmt.Sprintf("need ≥ %d blocks for an interval, have 0", stats.MinBlocks), "raise -budget or -blocks")
		return []result.BenchmarkComparison{empty}
	}
	for i, row := range j.Rows {
		if row.Unit == "sec/op" {
			j.Rows[i].Findings = append(row.Findings, sideSuspicions(rec.Study, b, rounds, 0, v)...)
		}
	}
	return j.Rows
}

func unknown() result.Estimate {
	return result.Estimate{Center: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
}

func label(rec *result.Recording, v int) string {
	if v < len(rec.Study.Variants) {
		return rec.Study.Variants[v].Label
	}
	return fmt.Sprintf("variant %d", v)
}

// Adjust fills PBH and PHolm over all rows of a unit that have a p-value: a
// table asks as many questions as it has benchmarks, and each unit is a table.
// A faster or slower row that Benjamini and Hochberg's adjustment at alpha
// takes back gets a finding.
func Adjust(rows []result.BenchmarkComparison, alpha float64) {
	for _, u := range unitsIn(rows) {
		var p []float64
		var at []int
		for i, r := range rows {
			if r.Unit == u && r.P != nil {
				p, at = append(p, *r.P), append(at, i)
			}
		}
		bh, holm := stats.BenjaminiHochberg(p), stats.Holm(p)
		for k, i := range at {
			r := &rows[i]
			r.PBH, r.PHolm = &bh[k], &holm[k]
			if (r.Verdict == result.Faster || r.Verdict == result.Slower) && bh[k] > alpha {
				r.Findings = append(r.Findings, finding.Finding{
					ID: "not-after-adjustment", Severity: finding.Warning, Subject: r.Name,
					Message: fmt.Sprintf("alone, p = %.2g; among %d benchmarks of this table about %.2g such differences are expected where there are none (adjusted p = %.2g)",
						p[k], len(p), *r.P*float64(len(p)), bh[k]),
					Action: "compare this benchmark again, alone",
				})
			}
		}
	}
}

// unitsIn lists the units of rows in the order they first appear.
func unitsIn(rows []result.BenchmarkComparison) []string {
	var units []string
	for _, r := range rows {
		if !slices.Contains(units, r.Unit) {
			units = append(units, r.Unit)
		}
	}
	return units
}

// primaries tells which rows their benchmarks are judged by: the first of
// each, which is the time per operation wherever there is one.
func primaries(rows []result.BenchmarkComparison) []bool {
	type benchmark struct {
		result.Key
		row, config string
		column      int
	}
	seen := make(map[benchmark]bool, len(rows))
	out := make([]bool, len(rows))
	for i, r := range rows {
		b := benchmark{Key: r.Key, row: r.Row, column: r.NewVariant}
		if len(r.Config) > 0 {
			b.config = fmt.Sprint(r.Config) // maps print in the order of their keys
		}
		out[i], seen[b] = !seen[b], true
	}
	return out
}

// compared is false for a row that only says that there was nothing to
// compare: the benchmark is on one side only, or skips itself.
func compared(r result.BenchmarkComparison) bool {
	return !slices.ContainsFunc(r.Findings, func(f finding.Finding) bool {
		return f.ID == oneSideOnly || f.ID == skipped
	})
}

func summarize(rows []result.BenchmarkComparison) result.Summary {
	var s result.Summary
	first := primaries(rows)
	for i, r := range rows {
		if !first[i] || !compared(r) {
			continue
		}
		switch r.Verdict {
		case result.Faster:
			s.Faster++
		case result.Slower:
			s.Slower++
		case result.Same:
			s.Same++
		case result.Failed:
			s.Failed++
		default:
			s.Undecided++
		}
	}
	return s
}

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

// GateOutcome reads a table as a gate, by the primary unit of each benchmark.
// Not significant is never a pass: a benchmark passes only where the far end
// of its interval lies within δ. "All pass" needs no adjustment for many
// benchmarks (one false pass needs its own error); "any regression" does.
func GateOutcome(c result.Comparison) Gate {
	out, _ := GateRows(c)
	return out
}

// GateRows is [GateOutcome] with the rows behind it: those that regressed, or
// else those that are open; none where nothing was compared.
func GateRows(c result.Comparison) (Gate, []*result.BenchmarkComparison) {
	rows := 0
	var regressed, open []*result.BenchmarkComparison
	first := primaries(c.Benchmarks)
	for i := range c.Benchmarks {
		r := &c.Benchmarks[i]
		if !first[i] || !compared(*r) {
			continue
		}
		rows++
		switch {
		case excludesRegression(*r, c.Delta):
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
