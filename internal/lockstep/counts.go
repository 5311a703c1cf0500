package lockstep

import (
	"fmt"
	"math"

	"github.com/tarebench/tare/finding"
	"github.com/tarebench/tare/internal/count"
	"github.com/tarebench/tare/internal/judge"
	"github.com/tarebench/tare/internal/kind"
	"github.com/tarebench/tare/internal/result"
)

// CountDelta is the relative change of a count below which two sides are the
// same: counts are judged ten to twenty times finer than time.
const CountDelta = 0.001

// topFunctions is how many functions a report names.
const topFunctions = 10

// countRepeats is the relative difference that two counts of the same code may
// have: each side's interval is widened to it.
const countRepeats = 1e-4

// countInterval is the change between two counts: counts need no rounds. It is
// the quotient of the two intervals, each first widened to ±0.01 % (what two
// independent runs may differ by). A count that was or becomes zero has a
// difference and no ratio.
func countInterval(old, new result.Estimate) judge.Interval {
	n := min(old.N, new.N)
	if math.IsNaN(old.Center) || math.IsNaN(new.Center) {
		return judge.Interval{Center: math.NaN(), Lo: math.NaN(), Hi: math.NaN(), Relative: true}
	}
	if !(old.Center > 0) || !(new.Center > 0) {
		return judge.Interval{Center: new.Center - old.Center, Lo: new.Lo - old.Hi, Hi: new.Hi - old.Lo, N: n}
	}
	oldLo, oldHi := widen(old)
	newLo, newHi := widen(new)
	return judge.Interval{
		Center: math.Log(new.Center / old.Center), Lo: math.Log(newLo / oldHi), Hi: math.Log(newHi / oldLo),
		Relative: true, N: n,
	}
}

func widen(e result.Estimate) (lo, hi float64) {
	lo, hi = e.Lo, e.Hi
	if math.IsNaN(lo) || math.IsNaN(hi) {
		lo, hi = e.Center, e.Center
	}
	return min(lo, e.Center*(1-countRepeats)), max(hi, e.Center*(1+countRepeats))
}

// compareCounts appends a row for every count that both sides of c have: variant 0
// against each other. delta is the relative change below which two counts are
// the same. A count that disagrees with the time of its benchmark says so.
func compareCounts(c *result.Comparison, rec *result.Recording, delta float64) {
	for _, old := range rec.Counts {
		if old.Variant != 0 {
			continue
		}
		for _, new := range rec.Counts {
			if new.Variant == 0 || new.Benchmark != old.Benchmark || new.Unit != old.Unit {
				continue
			}
			row := result.BenchmarkComparison{
				Key: rec.Benchmarks[old.Benchmark].Key, Unit: old.Unit,
				OldVariant: old.Variant, NewVariant: new.Variant, Old: old.Value, New: new.Value,
			}
			row.Delta = delta
			iv := countInterval(old.Value, new.Value)
			row.Change, row.Verdict = iv.Change(), iv.Verdict(delta, row.Direction(), true)
			if row.Verdict != result.Same {
				row.Functions = count.TopChanges(old.Functions, new.Functions, topFunctions)
			}
			if len(row.Functions) > 0 {
				row.Findings = append(row.Findings, namesFinding(row))
			}
			if t := timeRow(c, row); t != nil {
				if f := disagreement(row.Name, row.Unit, t.Verdict, row.Verdict, t.Change, row.Change); f != nil {
					row.Findings = append(row.Findings, *f)
				}
			}
			c.Benchmarks = append(c.Benchmarks, row)
		}
	}
}

func timeRow(c *result.Comparison, row result.BenchmarkComparison) *result.BenchmarkComparison {
	for i := range c.Benchmarks {
		r := &c.Benchmarks[i]
		if r.Key == row.Key && r.Unit == "sec/op" && r.OldVariant == row.OldVariant && r.NewVariant == row.NewVariant {
			return r
		}
	}
	return nil
}

// namesFinding says in which functions the difference is.
func namesFinding(row result.BenchmarkComparison) finding.Finding {
	return kind.CountFunctions.Of(row.Name, finding.Text("unit", row.Unit), finding.Text("functions", count.Names(row.Functions, 3, func(v float64) string { return fmt.Sprintf("%+.4g", v) })))
}

// disagreement says that time and a count point in opposite directions; nil
// when they do not, or when one of them is undecided.
func disagreement(benchmark, unit string, time, counted result.Verdict, timeChange, countChange result.Change) *finding.Finding {
	opposite := time == result.Slower && counted == result.Faster || time == result.Faster && counted == result.Slower
	if !opposite {
		return nil
	}
	more := "more"
	if counted == result.Faster {
		more = "fewer"
	}
	f := kind.TimeCountDisagree.Of(benchmark, finding.Text("verdict", string(time)), finding.Change("time", timeChange.Ratio-1), finding.Text("direction", more), finding.Text("unit", unit), finding.Change("count", countChange.Ratio-1))
	return &f
}

// measureCounts appends a row for every count of the recording's one variant.
func measureCounts(run *result.Run, rec *result.Recording) {
	for _, c := range rec.Counts {
		m := result.Measurement{
			Key: rec.Benchmarks[c.Benchmark].Key, Unit: c.Unit, Value: c.Value, Raw: c.Value.Center,
			Exact: c.Value.Lo == c.Value.Hi,
		}
		if c.Value.Center != 0 && !math.IsNaN(c.Value.Lo) {
			m.Spread = (c.Value.Hi - c.Value.Lo) / 2 / c.Value.Center
		}
		run.Benchmarks = append(run.Benchmarks, m)
	}
}
