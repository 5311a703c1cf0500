package attempt

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// The comparison of an attempt has the working tree first and the best tree
// second. If the best tree is slower by more than the wanted gain, the gate sees
// a regression. The interval and the stopping rule of the gate therefore apply.

func gateDelta(want float64) float64 { return want / (1 - want) }

// sameAsBest is the reason for a revert without a test.
const sameAsBest = "the benchmarks run the same machine code as in the best tree"

// decideGain answers an attempt by the benchmarks to improve, at the level of a
// keep. It keeps the attempt if at least one gains more than want and none
// failed. If more is false, the study cannot be measured further, and the answer
// is final.
func decideGain(c result.Comparison, want, level float64, more bool) Answer {
	var gained, open, slower, rest []Row
	needed, seconds, blocks := 0.0, 0.0, 0
	held := false
	for _, r := range primary(c) {
		switch {
		case r.Verdict == result.Failed:
			return Answer{Verdict: Failed, Reason: r.Name + " fails"}
		case r.Verdict == result.Skipped || r.Verdict == result.Missing:
			continue
		}
		row := Row{r.Key, r.Unit, inverse(r.Change)}
		switch {
		case r.Gate == result.GateRegression:
			gained = append(gained, row)
		case r.Gate == result.GateOpen:
			needed += secondsNeeded(r, math.Log1p(gateDelta(want)))
			seconds, blocks = seconds+r.Seconds, blocks+r.Blocks
			row.Change.Lo, row.Change.Hi = math.NaN(), math.NaN()
			if j := r.Joint; j != nil {
				row.Change.Lo, row.Change.Hi = 1/j.Hi, 1/j.Lo
			}
			held = held || row.Change.Hi < 1-want
			open = append(open, row)
		case row.Change.Lo > 1:
			slower = append(slower, row)
		default:
			rest = append(rest, row)
		}
	}
	for _, rows := range [][]Row{gained, open, slower, rest} {
		slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(a.Change.Ratio, b.Change.Ratio) })
	}
	undecided := fmt.Sprintf("undecided at %.4g%%, the level of a keep", 100*(1-level))
	if held {
		undecided = "undecided: the total time of the blocks does not confirm the gain"
	}
	switch {
	case len(gained) > 0:
		return Answer{Verdict: Keep, Rows: gained}
	case len(open) > 0 && more:
		return Answer{Verdict: Again, Reason: undecided, Rows: open, SecondsNeeded: needed}
	case len(open) > 0:
		return Answer{Verdict: Revert, Rows: open, Reason: fmt.Sprintf("%s, after %d blocks in %.3g s here; a quieter machine or a larger -want decides", undecided, blocks, seconds)}
	case len(slower) > 0:
		slices.Reverse(slower)
		return Answer{Verdict: Revert, Reason: "slower than the best tree", Rows: slower}
	case len(rest) == 0:
		return Answer{Verdict: Failed, Reason: "no benchmark was compared"}
	case !slices.ContainsFunc(c.Benchmarks, func(r result.BenchmarkComparison) bool { return r.Reason != result.ReasonSameCode }):
		return Answer{Verdict: Revert, Reason: sameAsBest}
	}
	above := fmt.Sprintf("no gain above %.3g%%", 100*want)
	if slices.ContainsFunc(rest, func(r Row) bool { return !(r.Change.Lo >= 1-want) }) { // see planGain
		above = fmt.Sprintf("a gain above %.3g%% is unlikely", 100*want)
	}
	return Answer{Verdict: Revert, Reason: above, Rows: rest}
}

// decideOthers confirms a keep by the other benchmarks that the change reaches.
// The comparison has the best tree first. Only a benchmark that is shown slower
// prevents the keep. The reason of the keep names the undecided ones.
func decideOthers(keep Answer, c result.Comparison) Answer {
	against := func(v Verdict, r result.BenchmarkComparison, what string) Answer {
		return Answer{Verdict: v, Reason: fmt.Sprintf("%s is faster, %s %s", keep.Rows[0].Name, r.Name, what),
			Rows: append([]Row{{r.Key, r.Unit, r.Change}}, keep.Rows...)}
	}
	var open []string
	first := make(map[result.Key]bool)
	for _, r := range c.Benchmarks {
		if result.IsCount(r.Unit) && r.Exact && r.Verdict == result.Slower {
			return against(Revert, r, "allocates more")
		}
		if first[r.Key] {
			continue
		}
		first[r.Key] = true
		switch {
		case r.Verdict == result.Failed:
			return against(Failed, r, "fails")
		case r.Verdict == result.Skipped || r.Verdict == result.Missing:
		case r.Gate == result.GateRegression:
			return against(Revert, r, "is slower")
		case r.Gate == result.GateOpen:
			open = append(open, r.Name)
		}
	}
	if len(open) > 0 {
		keep.Reason = "undecided: " + words.List(open)
	}
	return keep
}

func primary(c result.Comparison) (rows []result.BenchmarkComparison) {
	known := make(map[result.Key]bool)
	for _, r := range c.Benchmarks {
		if !known[r.Key] {
			known[r.Key] = true
			rows = append(rows, r)
		}
	}
	return rows
}

func inverse(c result.Change) result.Change {
	out := result.Change{Ratio: 1 / c.Ratio, Lo: 1 / c.Hi, Hi: 1 / c.Lo}
	if d := c.Difference; d != nil {
		out.Difference = &result.Estimate{Center: -d.Center, Lo: -d.Hi, Hi: -d.Lo, N: d.N}
	}
	return out
}

// secondsNeeded estimates the time until the interval of an open row excludes
// threshold. The half-width shrinks with the square root of the blocks. It is 0
// if the row has no interval yet.
func secondsNeeded(r result.BenchmarkComparison, threshold float64) float64 {
	half, way := (math.Log(r.Change.Hi)-math.Log(r.Change.Lo))/2, math.Abs(math.Log(r.Change.Ratio)-threshold)
	need := float64(r.Blocks) * (half / way) * (half / way)
	if !(need < math.MaxInt32) { // NaN too
		return 0
	}
	return max(1, need-float64(r.Blocks)) * r.Seconds / float64(r.Blocks)
}
