package judge

import (
	"math"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/instrument"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/finding"
)

// countDelta is the relative change of a count below which two variants are the
// same. Counts are judged ten to twenty times finer than time.
const countDelta = 0.001

const topFunctions = 10

// judgeCounts judges two counts by their processes, which are replicates like
// the runs of a benchmark file. It uses the exact Mann–Whitney test and shift
// interval. Counts of few processes have no interval, since two equal counts do
// not predict a third.
func judgeCounts(row *row, old, new []float64, alpha float64, family int) {
	row.Change, row.Verdict, row.iv = UnknownChange(), result.Undecided, unknown()
	if len(old) == 0 || len(new) == 0 {
		if old, new := row.Old.Center, row.New.Center; old > 0 && new > 0 {
			row.Change.Ratio = new / old
		}
		return
	}
	x, y := slices.Clone(new), slices.Clone(old)
	relative := slices.Min(x) > 0 && slices.Min(y) > 0
	if relative {
		for _, side := range [][]float64{x, y} {
			for i, v := range side {
				side[i] = math.Log(v)
			}
		}
	}
	var ranks stats.RankSums
	shifts := ranks.Shifts(x, y)
	row.iv = Samples(shifts.Shift(), relative, min(len(x), len(y)), alpha, family, shifts.Bounds)
	p := ranks.Test(x, y).P
	row.P = &p
	row.Change, row.Joint = row.iv.Change(), row.iv.Joint()
}

// CountAlpha is the error rate of a count beside two others of each benchmark,
// of which every new variant has a row.
func CountAlpha(rec *result.Recording) float64 {
	return rec.Study.Alpha / float64(familyOf(rec.Study, "", 3))
}

// countRows returns a row for every count that both variants have, comparing
// variant 0 with each other one. They are one family with others rows.
func countRows(rec *result.Recording, others int) (rows []*row) {
	type key struct {
		benchmark int
		unit      string
	}
	type pair struct{ old, new result.Count }
	olds := make(map[key]result.Count)
	for _, c := range rec.Counts {
		if c.Variant == 0 {
			olds[key{c.Benchmark, c.Unit}] = c
		}
	}
	var pairs []pair
	for _, c := range rec.Counts {
		if old, ok := olds[key{c.Benchmark, c.Unit}]; ok && c.Variant != 0 {
			pairs = append(pairs, pair{old, c})
		}
	}
	for _, p := range pairs {
		r := &row{BenchmarkComparison: result.BenchmarkComparison{
			Key: rec.Benchmarks[p.old.Benchmark].Key, Unit: p.old.Unit, Delta: countDelta,
			OldVariant: p.old.Variant, NewVariant: p.new.Variant, Old: p.old.Value, New: p.new.Value,
		}}
		judgeCounts(r, p.old.Values, p.new.Values, rec.Study.Alpha, others+len(pairs))
		if !r.iv.Same(countDelta) {
			r.Functions = instrument.TopChanges(p.old.Functions, p.new.Functions, topFunctions)
		}
		rows = append(rows, r)
	}
	return rows
}

func countFindings(rows []*row) {
	signed := func(v float64) string { return words.SignedAmount(instrument.UnitInstructions, v) }
	for _, r := range rows {
		if r.Unit == instrument.UnitInstructions && len(r.Functions) > 0 {
			r.Findings = append(r.Findings, catalog.CountFunctions.Of(r.Name, finding.Text("unit", r.Unit), finding.Text("functions", instrument.Names(r.Functions, 3, signed))))
		}
	}
}

func countLevels(rec *result.Recording) (rows []*row) {
	for _, c := range rec.Counts {
		r := &row{BenchmarkComparison: measured(rec.Benchmarks[c.Benchmark].Key, c.Unit, c.Value), iv: unknown()}
		r.Raw, r.Exact = c.Value.Center, c.Value.Lo == c.Value.Hi
		if c.Value.Center != 0 && !math.IsNaN(c.Value.Lo) {
			r.Spread = (c.Value.Hi - c.Value.Lo) / 2 / c.Value.Center
		}
		rows = append(rows, r)
	}
	return rows
}
