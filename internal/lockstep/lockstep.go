package lockstep

import (
	"fmt"
	"slices"

	"github.com/tarebench/tare/finding"
	"github.com/tarebench/tare/internal/judge"
	"github.com/tarebench/tare/internal/kind"
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
	instead := func(v result.Verdict, f finding.Finding) []result.BenchmarkComparison {
		empty.Verdict, empty.Findings = v, []finding.Finding{f}
		return []result.BenchmarkComparison{empty}
	}
	for _, s := range rec.Stops {
		if s.Benchmark == index && s.Reason == "failed" && (s.Variant == 0 || s.Variant == v) {
			return instead(result.Failed, kind.Failed.Of(b.Name, finding.Text("variant", label(rec, s.Variant)), finding.Text("why", s.Message)))
		}
	}
	for _, side := range []int{0, v} {
		if slices.Contains(b.Missing, side) {
			return instead(result.Missing, kind.Missing.Of(b.Name, finding.Text("variant", label(rec, side))))
		}
	}
	if _, ok := stopOf(rec, index, result.SameCode); ok {
		empty.Verdict, empty.Reason = result.Same, result.ReasonSameCode
		return []result.BenchmarkComparison{empty}
	}
	j := judgeUpTo(rec.Study, b, 0, v, true)
	if len(j.Rows) == 0 {
		if s, ok := stopOf(rec, index, "skipped"); ok {
			return instead(result.Skipped, kind.Skipped.Of(b.Name, finding.Text("why", s.Message)))
		}
		return instead(result.Undecided, kind.TooFewBlocks.Of(b.Name, finding.Count("blocks", 0, "block"), finding.Count("needed", sequential.MinBlocks, "")))
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
		r.Findings = append(r.Findings, kind.NotAfterAdjustment.Of(r.Name, finding.Number("p", *r.P), finding.Number("adjusted", *r.PBH),
			finding.Count("rows", n, "benchmark"), finding.Number("expected", *r.P*float64(n))))
	}
}
