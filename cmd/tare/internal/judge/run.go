package judge

import (
	"math"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/internal/finding"
)

// Measure summarizes the blocks of one benchmark of a run so far, one row per
// unit. It returns nothing until a block is good.
func Measure(study result.Study, b result.Benchmark) []result.BenchmarkComparison {
	all := goodBlocks(b.Blocks, 0)
	good, others := inDefaultOrder(all)
	var rows []result.BenchmarkComparison
	for _, u := range unitsOf(all, 0) {
		blocks, sets := u.blocks(good, 0), b.FuncOrders
		if len(others) > 0 {
			sets = 0 // blocks of the default order do not share it as a unit of analysis
		}
		counted := result.IsCount(u.name) && !u.overridden
		if counted { // the function order does not matter
			blocks, sets = u.blocks(all, 0), 0
		}
		values := read(blocks, u.from, 0)[0]
		if !values.present() {
			j := judged{study: study, benchmark: b, blocks: good}
			if e, found, ok := j.oneSide(u, 0); ok {
				row := measured(b.Key, u.name, e)
				row.Raw, row.Blocks = e.Center, len(good)
				if found != nil {
					row.Findings = []finding.Finding{*found}
				}
				rows = append(rows, row)
			}
			continue
		}
		row := measured(b.Key, u.name, Unknown())
		row.Blocks = len(blocks)
		for _, k := range blocks {
			row.Rounds += len(k.rounds)
			row.Seconds += k.Seconds
		}
		v, constant := exact(study, u, blocks, 0)
		if counted {
			values = values.averaged()
		}
		if row.Exact = constant; constant {
			row.New = result.Estimate{Center: v[0], Lo: v[0], Hi: v[0], N: len(values)}
		} else {
			row.New = level(values, funcOrders(blocks, sets, 0), study.Alpha)
		}
		describe(&row, values)
		// Other programs share caches and execution units, which lengthens all blocks alike.
		if beside := func(k block) bool { return k.Others != nil && !Quiet(k.Block) }; row.Band != "" && Measured(u.name) && slices.ContainsFunc(all, beside) {
			row.Band = "busy"
		}
		if u.name == "sec/op" && !u.overridden {
			row.OtherOrders = orders(read(others, u.from, 0)[0])
			if whole := collected(blocks, 0, processorsOf(b)); whole != nil && !wholeCalls(b) {
				row.New = level(whole, funcOrders(blocks, sets, 0), study.Alpha)
				row.OtherOrders = orders(collected(others, 0, processorsOf(b)))
			}
			row.Raw = level(read(good, rawSeconds, 0)[0], funcOrders(good, sets, 0), study.Alpha).Center
			row.Overhead = overhead(good)
			row.NewBytes = bytesOf(good, 0)
			row.NewRuntime, row.CPUs = runtimeCounts(good, 0), cpusOf(b)
			row.Findings = append(row.Findings, resolution(good, b.Name, study.Delta, 0)...)
			if f, found := waited(good, b.Name, study.Variants[0].Label, 0, row.New.Center); found {
				row.Band, row.Findings = "", append(row.Findings, f)
			}
			w := aloneWitness(b, blocks)
			contradicts := w.contradicts(study.Delta)
			if row.LongRuns = w.result(contradicts, study.Delta); contradicts {
				f, _ := w.finding(catalog.LongRunsDiffer, b.Name, study.Delta)
				row.Findings = append(row.Findings, f)
			}
		} else {
			row.Raw = row.New.Center // nothing was subtracted
		}
		rows = append(rows, row)
	}
	return rows
}

func measured(key result.Key, unit string, value result.Estimate) result.BenchmarkComparison {
	return result.BenchmarkComparison{Key: key, Unit: unit, Old: Unknown(), New: value, Change: UnknownChange()}
}

// inDefaultOrder separates the blocks with the default function order, whose
// level the row reports, from the blocks that show the spread over orders. If
// no block has the default order, all blocks give the level.
func inDefaultOrder(blocks []block) (level, others []block) {
	timed := false
	for _, b := range blocks {
		if seedOf(b, 0) != 0 {
			others = append(others, b)
			continue
		}
		level = append(level, b)
		timed = timed || len(b.rounds) > 0
	}
	if !timed {
		return blocks, nil
	}
	return level, others
}

func orders(values series) *result.Interval {
	m := values.medians()
	if len(m) == 0 {
		return nil
	}
	return &result.Interval{Lo: slices.Min(m), Hi: slices.Max(m)}
}

func stopOf(stops []result.Stop, reason string) (result.Stop, bool) {
	for _, s := range stops {
		if s.Reason == reason {
			return s, true
		}
	}
	return result.Stop{}, false
}

func describe(row *result.BenchmarkComparison, values series) {
	all := slices.Concat(values...)
	row.Quantiles = stats.Quartiles(all)
	over := values.medians()
	if len(over) < 4 { // a middle half needs four
		over = all
	}
	if row.New.Center != 0 {
		row.Spread = stats.Spread(over, row.New.Center)
		if len(values) >= MinBlocks {
			row.Band = Band(row.Spread)
		}
	}
	if math.IsNaN(row.New.Lo) {
		row.Findings = append(row.Findings, catalog.TooFewBlocks.Of(row.Name, finding.Count("blocks", row.New.N, "block"), finding.Count("needed", MinBlocks, "")))
	}
}

func rawSeconds(s result.Slice) (float64, bool) { return s.Own() / float64(s.N) / 1e9, s.N > 0 }

func overhead(blocks []block) result.Interval {
	var lo, hi []float64
	for s := range slicesOf(blocks, 0) {
		lo = append(lo, s.OverheadLo/float64(s.N)/1e9)
		hi = append(hi, s.OverheadHi/float64(s.N)/1e9)
	}
	return result.Interval{Lo: stats.Median(lo), Hi: stats.Median(hi)}
}
