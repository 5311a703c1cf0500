package lockstep

import (
	"fmt"
	"slices"

	"github.com/tarebench/tare/finding"
	"github.com/tarebench/tare/internal/judge"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/sequential"
	"github.com/tarebench/tare/internal/suspect"
)

// Compare judges a whole recording: every variant against the first, every
// benchmark, every unit. The same recording gives the same comparison.
func Compare(rec *result.Recording) result.Comparison {
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
		for v := 1; v < len(rec.Study.Variants); v++ {
			c.Benchmarks = append(c.Benchmarks, rowsOf(rec, i, b, v)...)
		}
	}
	adjust(c.Benchmarks, rec.Study.Alpha)
	compareCounts(&c, rec, CountDelta)
	c.GeoMeans = judge.GeoMeans(c.Benchmarks)
	c.Summary = judge.Summarize(c.Benchmarks)
	return c
}

// rowsOf are the rows of one benchmark and one new variant; one row without
// numbers where the benchmark failed, is missing on a side, or gave nothing.
func rowsOf(rec *result.Recording, index int, b result.Benchmark, v int) []result.BenchmarkComparison {
	empty := result.BenchmarkComparison{
		Key: b.Key, Unit: "sec/op", NewVariant: v,
		Old: judge.Unknown(), New: judge.Unknown(), Change: judge.UnknownChange(),
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
			note(judge.OneSideOnly, finding.Info, "not in "+label(rec, side), "")
			return []result.BenchmarkComparison{empty}
		}
	}
	j := judgeUpTo(rec.Study, b, 0, v, true)
	if len(j.Rows) == 0 {
		if s, ok := stopOf(rec, index, "skipped"); ok {
			note(judge.Skipped, finding.Info, "skipped: "+s.Message, "")
			return []result.BenchmarkComparison{empty}
		}
		note("too-few-blocks", finding.Warning, fmt.Sprintf("need ≥ %d blocks for an interval, have 0", sequential.MinBlocks), "raise -budget or -blocks")
		return []result.BenchmarkComparison{empty}
	}
	for i, row := range j.Rows {
		if row.Unit == "sec/op" {
			j.Rows[i].Findings = append(row.Findings, suspect.Sides(rec.Study, b, 0, v)...)
		}
	}
	return j.Rows
}

func label(rec *result.Recording, v int) string {
	if v < len(rec.Study.Variants) {
		return rec.Study.Variants[v].Label
	}
	return fmt.Sprintf("variant %d", v)
}

// adjust corrects the p-values of the table for its size. A faster or slower row
// that Benjamini and Hochberg's adjustment at alpha takes back gets a finding.
func adjust(rows []result.BenchmarkComparison, alpha float64) {
	family := judge.Adjust(rows)
	for i := range rows {
		r := &rows[i]
		if r.PBH == nil || r.Verdict != result.Faster && r.Verdict != result.Slower || *r.PBH <= alpha {
			continue
		}
		n := family[r.Unit]
		r.Findings = append(r.Findings, finding.Finding{
			ID: judge.NotAfterAdjustment, Severity: finding.Warning, Subject: r.Name,
			Message: fmt.Sprintf("alone, p = %.2g; among %d benchmarks of this table about %.2g such differences are expected where there are none (adjusted p = %.2g)",
				*r.P, n, *r.P*float64(n), *r.PBH),
			Action: "compare this benchmark again, alone",
		})
	}
}
