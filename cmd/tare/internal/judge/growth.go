package judge

import (
	"math"

	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/internal/finding"
)

// growsInProcess compares the last third of every process with its first. State
// that slices of a process share, as under b.Loop, slows all processes over
// time.
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

// unstable tests the spread of the processes if there are enough for a middle
// half, otherwise the spread of the slices.
func unstable(list []process) *finding.Finding {
	var x []float64
	for _, p := range list {
		x = append(x, stats.Median(p.times))
	}
	what := "processes"
	if len(x) < 4 {
		x, what = allTimes(list), "slices"
	}
	if len(x) < 4 {
		return nil
	}
	center := stats.Median(x)
	spread := (stats.Quantile(x, .75) - stats.Quantile(x, .25)) / 2
	if center <= 0 || spread <= unstableSpread*center {
		return nil
	}
	f := kind.Unstable.Of("", finding.Text("what", what), finding.Share("spread", spread/center))
	return &f
}
