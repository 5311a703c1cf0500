package judge

import (
	"math"

	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/internal/finding"
)

// growsInProcess compares the last third of every process with its first. State
// that survives from slice to slice, as under b.Loop, makes all processes
// slower.
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
	if lo, _, ok := beyond(growth, math.Log1p(worthGrowth), suspicionAlpha); !ok || lo < 0 {
		return nil
	}
	f := kind.GrowsInProcess.Of("", finding.Count("slower", up, ""), finding.Count("processes", len(growth), "process"), finding.Share("growth", math.Expm1(mean(growth))))
	return &f
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
	var slower []float64
	for _, p := range list {
		rest := p.times
		if p.first.Seconds() == rest[0] {
			rest = rest[1:]
		}
		if first, others := p.first.Seconds(), stats.Median(rest); len(rest) >= 3 && first > 0 && others > 0 {
			slower = append(slower, math.Log(first/others))
		}
	}
	if lo, _, ok := beyond(slower, math.Log(slowStart), suspicionAlpha); !ok || lo < 0 {
		return nil
	}
	f := kind.SlowFirstSlice.Of("", finding.Number("ratio", math.Exp(stats.Median(slower))))
	return &f
}
