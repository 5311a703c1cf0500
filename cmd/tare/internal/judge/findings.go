package judge

import (
	"math"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/internal/finding"
)

func (j judged) findings(row result.BenchmarkComparison, d Decision, looked bool) []finding.Finding {
	var out []finding.Finding
	add := func(k finding.Kind, values ...finding.Value) {
		out = append(out, k.Of(row.Name, values...))
	}
	switch bounded := !math.IsInf(d.Hi-d.Lo, 0); {
	case !looked:
		add(catalog.TooFewBlocks, finding.Count("blocks", row.Blocks, "block"), finding.Count("needed", MinBlocks, ""))
	case !bounded && row.Blocks > d.N:
		add(catalog.TooFewFuncOrders, finding.Count("blocks", row.Blocks, "block"), finding.Count("layouts", d.N, "function order"), finding.Count("needed", MinBlocks, ""))
	case j.benchmark.FuncOrders > 0 && row.Blocks > d.N && row.Unit == "sec/op":
		add(catalog.FuncOrdersAreTheUnit, finding.Count("blocks", row.Blocks, "block"), finding.Count("layouts", d.N, "function order"),
			finding.Number("ratio", math.Sqrt(float64(row.Blocks)/float64(d.N))))
	}
	if j.benchmark.FuncOrders == 0 && row.Unit == "sec/op" && len(j.study.Exec) < 2 && len(j.blocks) > 1 {
		if side := j.oneLayout(); side != "" {
			add(catalog.OneLayout, finding.Text("side", side))
		}
	}
	return out
}

// oneLayout names the sides whose blocks all have the same function order.
func (j judged) oneLayout() string {
	var sides []string
	for i, v := range []int{j.old, j.new} {
		differs := func(b block) bool { return v >= len(b.FuncOrders) || b.FuncOrders[v] != j.blocks[0].FuncOrders[v] }
		if !slices.ContainsFunc(j.blocks, differs) {
			sides = append(sides, []string{"old", "new"}[i])
		}
	}
	return strings.Join(sides, " and the ")
}

// waited finds that operations of a variant take longer than their CPU time, and
// it is not known which part of that is delay.
func waited(blocks []block, name, side string, v int, perOp float64) (f finding.Finding, found bool) {
	c := runtimeCounts(blocks, v)
	if c == nil || followed(blocks, v) || c.User+c.System <= 0 || perOp <= (1+LevelTolerance)*(c.User+c.System) {
		return f, false
	}
	return catalog.Waited.Of(name, finding.Text("side", side), finding.Number("times", perOp/(c.User+c.System))), true
}

// leastUncertainty is the share of the time per operation below which an
// uncertain overhead does not matter, even for a small δ.
const leastUncertainty = 0.001

// resolution compares the corrected time of the slices with the uncertainty of
// the clock's calibration.
func resolution(blocks []block, name string, delta float64, variants ...int) []finding.Finding {
	below, open, count := 0, 0, 0
	var shares []float64
	for s := range slicesOf(blocks, variants...) {
		half := (s.OverheadHi - s.OverheadLo) / 2
		net := s.Own() - (s.OverheadHi+s.OverheadLo)/2
		count++
		if half > 0 && net <= half {
			below++
			continue
		}
		if half > max(delta, leastUncertainty)*net {
			open++
		}
		if net > 0 {
			shares = append(shares, half/net)
		}
	}
	switch {
	case 2*below > count:
		return []finding.Finding{catalog.BelowResolution.Of(name)}
	case 2*(below+open) > count && len(shares) > 0:
		return []finding.Finding{finding.OverheadUncertain.Of(name, finding.Share("share", stats.Median(shares)))}
	}
	return nil
}

// markTests marks the rows of packages whose tests differ. It returns the
// findings with one for the rows with new tests, instead of one for each package.
func markTests(rows []*row, all []finding.Finding) (kept []finding.Finding) {
	tests, differ := make(map[string]string), make(map[string][]string)
	read := make(map[finding.Reading]bool)
	for _, f := range all {
		switch {
		case catalog.NewTests.Is(f):
			if tests[f.Subject] = "new"; f.Values["without"] == "" {
				f.Subject = ""
			}
		case catalog.OwnTests.Is(f):
			tests[f.Subject] = "own"
			names, _ := f.Values["differ"].(string)
			differ[f.Subject] = strings.Fields(names)
		}
		if r := f.Reading(); !read[r] {
			kept, read[r] = append(kept, f), true
		}
	}
	for _, r := range rows {
		r.Tests = tests[r.Pkg]
		if function, _, _ := strings.Cut(r.Name, "/"); r.Blocks > 0 && slices.Contains(differ[r.Pkg], "Benchmark"+function) {
			r.Tests, r.Verdict, r.Needed = "other", result.Undecided, 0
			r.Gate = Open
		}
	}
	return kept
}

// memoryFindings distinguishes memory that is retained from a collector that is
// paced differently.
func memoryFindings(rows []*row) {
	lives := make(map[rowsKey]*row)
	for _, r := range rows {
		if r.Unit == "live-B" {
			lives[rowsKey{r.Key, r.NewVariant}] = r
		}
	}
	for _, goal := range rows {
		live := lives[rowsKey{goal.Key, goal.NewVariant}]
		switch {
		case goal.Unit != "goal-B" || live == nil:
		case live.Verdict == result.Slower:
			live.Findings = append(live.Findings, catalog.MemoryRetained.Of(live.Name, finding.Change("live", live.Change.Ratio-1)))
		case live.Verdict == result.Same && goal.Verdict == result.Slower:
			goal.Findings = append(goal.Findings, catalog.CollectorPaced.Of(goal.Name, finding.Change("goal", goal.Change.Ratio-1)))
		}
	}
}

// runtimeCounts adds up the use of the processes in the blocks of one variant.
// If the system does not report it, only the collections of the slices are
// known. It is nil if nothing was recorded.
func runtimeCounts(blocks []block, variant int) *result.RuntimeCounts {
	var c result.RuntimeCounts
	var n, gc float64
	for _, b := range blocks {
		if variant < len(b.Processes) && b.Processes[variant].User+b.Processes[variant].System > 0 {
			p := b.Processes[variant]
			n += float64(p.N)
			c.GCs += p.GCs
			gc += p.GCTime
			c.User += p.User
			c.System += p.System
			continue
		}
		for _, r := range b.rounds {
			c.GCs += int64(r.Slices[variant].GCs)
		}
	}
	if c == (result.RuntimeCounts{}) {
		return nil
	}
	if cpu := c.User + c.System; cpu > 0 && n > 0 {
		c.GCShare = min(1, gc/cpu)
		c.User /= 1e9 * n
		c.System /= 1e9 * n
	}
	return &c
}
