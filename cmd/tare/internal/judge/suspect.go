package judge

import (
	"math"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/internal/finding"
)

// The limits of suspicion. Each test needs both an effect large enough to
// matter and more evidence than noise gives. suspect_test.go limits how often
// each reports without a reason.
const (
	// suspicionAlpha is the error rate of the interval behind a suspicion.
	suspicionAlpha = 0.05
	worthGrowth    = 0.05 // of the time per operation, first to last third
)

// suspicions reports signs that the numbers of one benchmark and variant do
// not measure the intended work. It is a pure function of the timed rounds,
// in the order they ran, without warm-up. cycleSeconds is the length of a
// clock cycle, or 0 if not known.
func suspicions(b result.Benchmark, variant int, cycleSeconds float64) (out []finding.Finding) {
	p := processesOf(b.Blocks, variant)
	if len(p) == 0 || b.Loop == "program" { // every iteration has its own process
		return nil
	}
	if t := stats.Median(slices.Concat(p...)); t < cycleSeconds {
		out = append(out, catalog.BelowOneCycle.Of(b.Name, finding.Quantity("time", t, "sec/op"), finding.Quantity("cycle", cycleSeconds, "sec")))
	}
	return append(out, growsInProcess(b.Name, p)...)
}

// cycleOf is the length in seconds of a cycle of the base clock, or 0 if not known.
func cycleOf(m *result.Machine) float64 {
	switch {
	case m == nil:
		return 0
	case m.CPU.CounterHz > 0:
		return 1 / m.CPU.CounterHz
	case len(m.CPU.Frequency) > 0 && m.CPU.Frequency[0].BaseHz > 0:
		return 1 / m.CPU.Frequency[0].BaseHz
	}
	return 0
}

// allSuspicions are the suspicions about the variants of a row, one of each
// kind.
func allSuspicions(study result.Study, b result.Benchmark, variants ...int) []finding.Finding {
	var out []finding.Finding
	for _, v := range variants {
		for _, f := range suspicions(b, v, cycleOf(study.Machine)) {
			known := slices.ContainsFunc(out, func(o finding.Finding) bool { return o.ID == f.ID })
			if !known {
				out = append(out, f)
			}
		}
	}
	return out
}

// The verdicts need assumptions that the blocks themselves can contradict. The
// difference of a block must not depend on the block before. The time per
// operation must not depend on the length of a slice, nor on its place in the
// process. Each of the three kinds of test gets a third of α for all rows of a
// run together. So if all assumptions are true, a run gets a warning with
// probability at most α.
const assumptionKinds = 3

// assumptionAlpha is the error rate of one kind of test over a run.
func assumptionAlpha(alpha float64) float64 { return alpha / assumptionKinds }

func warnCorrelated(rows []*row, alpha float64) {
	var tested []*row
	var p []float64
	for _, r := range rows {
		if r.changes != nil && r.iv.Known() {
			tested, p = append(tested, r), append(p, stats.SerialCorrelation(r.changes).P)
		}
	}
	for i, adjusted := range stats.Holm(p) {
		if adjusted <= assumptionAlpha(alpha) {
			tested[i].Findings = append(tested[i].Findings, catalog.BlocksCorrelated.Of(tested[i].Name, finding.Number("p", p[i])))
		}
	}
}

// growsInProcess compares the last third of every process with its first. State
// that slices of a process share, as under b.Loop, slows all processes over
// time.
func growsInProcess(name string, list [][]float64) []finding.Finding {
	var growth []float64
	up := 0
	for _, times := range list {
		third := len(times) / 3
		if third < 3 {
			continue
		}
		first, last := stats.Median(times[:third]), stats.Median(times[len(times)-third:])
		if first <= 0 || last <= 0 {
			continue
		}
		growth = append(growth, math.Log(last/first))
		if last > first {
			up++
		}
	}
	// The growth that matters is below the interval for the mean of all processes.
	if lo, _ := meanBounds(growth, assumptionAlpha(suspicionAlpha)); !(lo > math.Log1p(worthGrowth)) {
		return nil
	}
	return []finding.Finding{catalog.GrowsInProcess.Of(name, finding.Count("slower", up, ""), finding.Count("processes", len(growth), "process"), finding.Share("growth", math.Expm1(mean(growth))))}
}

// processesOf returns the seconds per operation of the timed slices of every
// block, in the order they ran. A block has one process of the variant.
func processesOf(blocks []result.Block, variant int) (list [][]float64) {
	for _, b := range blocks {
		var times []float64
		for _, r := range b.Timed() {
			if variant < len(r.Slices) && r.Slices[variant].N > 0 && !r.Warmup {
				times = append(times, r.Slices[variant].Seconds())
			}
		}
		if len(times) > 0 {
			list = append(list, times)
		}
	}
	return list
}
