package judge

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/finding"
)

// Compare judges a whole recording: every variant against the first, for every
// benchmark and unit. A recording of one variant has the levels of its rows. Every verb that shows a recording uses it. The same
// recording gives the same comparison.
func Compare(rec *result.Recording) result.Comparison {
	return CompareSome(rec, func(string) bool { return true }, rec.Study.Output.Gate)
}

// CompareSome is Compare without the rows whose benchmark does not match. The
// remaining rows are judged as part of the whole recording. The gate may
// differ from the gate of the study.
func CompareSome(rec *result.Recording, match func(string) bool, gate result.Limits) result.Comparison {
	c := result.Comparison{
		Variants:   rec.Study.Variants,
		Alpha:      rec.Study.Alpha,
		Delta:      rec.Study.Delta,
		Gate:       gate,
		Machine:    rec.Study.Machine,
		Findings:   slices.Clone(rec.Findings),
		Incomplete: rec.End == nil || rec.End.Interrupted,
	}
	if !rec.Study.Created.IsZero() {
		c.Measurement = fmt.Sprintf("%s %d", rec.Study.Created.UTC().Format(time.RFC3339Nano), rec.Study.Seed)
	}
	if p := rec.Study.Part; p != nil {
		c.Findings = append(c.Findings, catalog.PartOfStudy.Of("", finding.Count("number", p.Number, ""), finding.Count("of", p.Of, "")))
	}
	if f, ok := totalTooShort(rec); ok {
		c.Findings = append(c.Findings, f)
	}
	study := rec.Study
	study.Family = max(study.Family, family(rec)) // -resume adds benchmarks to those that the study counted
	stops := make(map[int][]result.Stop)
	for _, s := range rec.Stops {
		stops[s.Benchmark] = append(stops[s.Benchmark], s)
	}
	var all []*row
	for i, b := range rec.Benchmarks {
		b := b.Unpacked()
		for v := max(0, min(1, len(rec.Study.Variants)-1)); v < len(rec.Study.Variants); v++ {
			for _, r := range rowsOf(rec, study, stops[i], b, v) {
				all = append(all, &r)
			}
		}
	}
	if c.IsRun() {
		all = append(all, countLevels(rec)...)
	} else {
		others := 0
		for _, r := range all {
			if r.Unit != "sec/op" {
				others++
			}
		}
		all = append(all, countRows(rec, others)...)
		decideAll(all, study.Plan, gate, study.TotalSeconds > 0)
		memoryFindings(all)
		warnCorrelated(all, rec.Study.Alpha)
	}
	c.Growth, c.Scaling = growthsAndScalings(rec, all)
	c.Growth = slices.DeleteFunc(c.Growth, func(g result.Growth) bool { return !match(g.Name) })
	c.Scaling = slices.DeleteFunc(c.Scaling, func(s result.Scaling) bool { return !match(s.Name) })
	countFindings(all)
	c.Findings = markTests(all, c.Findings)
	var blocks Blocks
	for _, r := range all {
		if !study.Timed() {
			r.Needed = 0 // there will be no more
		}
		if match(r.Name) {
			c.Benchmarks, blocks = append(c.Benchmarks, r.BenchmarkComparison), append(blocks, r.blocks)
		}
	}
	c.GeoMeans = geoMeans(c.Benchmarks, blocks, rec.Study.Alpha)
	c.Summary = Summarize(c.Benchmarks)
	c.Blind = blind(rec, all, gate)
	result.Possible(&c)
	return c
}

// family counts the pairs of a benchmark and a new variant that were measured
// in both variants.
func family(rec *result.Recording) int {
	n := 0
	for _, b := range rec.Benchmarks {
		for v := 1; v < len(rec.Study.Variants); v++ {
			if len(b.Blocks) > 0 && !slices.Contains(b.Missing, 0) && !slices.Contains(b.Missing, v) {
				n++
			}
		}
	}
	return n
}

// rowsOf are the rows of one benchmark and one new variant, 0 in a run. It is one
// row without numbers if the benchmark failed, is missing in a variant, or has no
// results.
func rowsOf(rec *result.Recording, study result.Study, stops []result.Stop, b result.Benchmark, v int) []row {
	empty := judged{benchmark: b, new: v}.absent("sec/op")
	instead := func(v result.Verdict, f finding.Finding) []row {
		empty.Verdict, empty.Findings = v, []finding.Finding{f}
		return []row{{BenchmarkComparison: empty, iv: unknown()}}
	}
	for _, s := range stops {
		if s.Reason == "failed" && (s.Variant == 0 || s.Variant == v || s.Everywhere) {
			where := words.Label(rec.Study.Variants, s.Variant)
			if s.Everywhere {
				where, empty.Reason = "all variants", result.ReasonEverywhere
			}
			return instead(result.Failed, catalog.Failed.Of(b.Name, finding.Text("variant", where), finding.Text("why", cmp.Or(s.Message, "failed with no output"))))
		}
	}
	for _, side := range []int{0, v} {
		if slices.Contains(b.Missing, side) {
			if side == 0 {
				empty.Reason = result.ReasonNew
			}
			return instead(result.Missing, catalog.Missing.Of(b.Name, finding.Text("variant", words.Label(rec.Study.Variants, side))))
		}
	}
	if _, ok := stopOf(stops, result.SameCode); ok {
		empty.Verdict, empty.Reason = result.Same, result.ReasonSameCode
		return []row{{BenchmarkComparison: empty, iv: exactInterval(0, true, 0)}}
	}
	var rows []row
	undecided, first := result.Verdict(""), 1
	if v == 0 {
		for _, m := range Measure(study, b) {
			rows = append(rows, row{BenchmarkComparison: m, iv: unknown()})
		}
	} else {
		undecided, first = result.Undecided, DesignOf(study).Next(0)
	}
	if why := notReached(rec.End, stops, b); why != "" && len(rows) == 0 {
		return instead(result.NotReached, catalog.NotReached.Of(b.Name, finding.Text("why", why), finding.Count("blocks", first, "block")))
	}
	if v > 0 {
		rows = judgeUpTo(study, b, 0, v, stateOf(study, stops)).rows
	}
	if len(rows) == 0 {
		if s, ok := stopOf(stops, "skipped"); ok {
			return instead(result.Skipped, catalog.Skipped.Of(b.Name, finding.Text("why", s.Message)))
		}
		return instead(undecided, catalog.TooFewBlocks.Of(b.Name, finding.Count("blocks", 0, "block"), finding.Count("needed", MinBlocks, "")))
	}
	if r := &rows[0]; v == 0 || r.Unit == "sec/op" {
		r.Findings = append(r.Findings, allSuspicions(rec.Study, b, slices.Compact([]int{0, v})...)...)
	}
	return rows
}

// notReached is the reason why a benchmark has no look. It is empty if the
// benchmark has one, or ended for another reason.
func notReached(end *result.End, stops []result.Stop, b result.Benchmark) string {
	if _, ok := stopOf(stops, result.StopNotReached); ok {
		return "the time was over"
	}
	stopped := slices.ContainsFunc(stops, func(s result.Stop) bool { return s.Reason != "interrupted" })
	if !stopped && len(b.Blocks) == 0 && end != nil && end.Interrupted {
		return "the study was interrupted"
	}
	return ""
}
