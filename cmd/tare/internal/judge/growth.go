package judge

import (
	"math"

	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/internal/finding"
)

// growsInProcess compares the last third of every process with its first:
// state that lives on from slice to slice, as under b.Loop, makes all of them
// slower. It takes at least seven processes, so that chance alone is below
// one in a hundred even when it says nothing about how much.
func growsInProcess(list []process) *finding.Finding {
	var growth []float64
	up := 0
	for _, p := range list {
		third := len(p.times) / 3
		if third < 3 {
			continue
		}
		first, last := stats.Median(p.times[:third]), stats.Median(p.times[len(p.times)-third:])
		if first <= 0 || last <= 0 {
			continue
		}
		growth = append(growth, math.Log(last/first))
		if last > first {
			up++
		}
	}
	if len(growth) < 7 || binomialTail(len(growth), up) > 0.01 {
		return nil
	}
	g := math.Expm1(stats.Median(growth))
	if g < worthGrowth {
		return nil
	}
	f := kind.GrowsInProcess.Of("", finding.Count("slower", up, ""), finding.Count("processes", len(growth), "process"), finding.Share("growth", g))
	return &f
}

// binomialTail is P(X ≥ k) in n fair trials.
func binomialTail(n, k int) float64 {
	sum, term := 0.0, math.Pow(2, -float64(n)) // term: C(n, i)/2^n
	for i := range n + 1 {
		if i >= k {
			sum += term
		}
		term *= float64(n-i) / float64(i+1)
	}
	return min(1, sum)
}

func drifts(list []process) *finding.Finding {
	if len(list) < 8 {
		return nil
	}
	var medians []float64
	for _, p := range list {
		medians = append(medians, stats.Median(p.times))
	}
	center := stats.Median(medians)
	trend := stats.MannKendall(medians)
	if !(trend.P < 0.001) || !(math.Abs(trend.Change) > worthDrift*center) {
		return nil
	}
	f := kind.Drift.Of("", finding.Change("change", trend.Change/center), finding.Text("of", ""))
	return &f
}

func slowFirst(list []process) *finding.Finding {
	var ratios []float64
	slow := 0
	for _, p := range list {
		rest := p.times
		if p.first.Seconds() == rest[0] {
			rest = rest[1:]
		}
		if len(rest) < 3 {
			continue
		}
		r := p.first.Seconds() / stats.Median(rest)
		ratios = append(ratios, r)
		if r >= slowStart {
			slow++
		}
	}
	if len(ratios) < 3 || slow*4 < len(ratios)*3 {
		return nil
	}
	f := kind.SlowFirstSlice.Of("", finding.Number("ratio", stats.Median(ratios)))
	return &f
}
