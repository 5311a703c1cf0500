package judge

import (
	"math"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/internal/finding"
)

// growsInProcess compares the last third of every process with its first. State
// that slices of a process share, as under b.Loop, slows all processes over
// time.
func growsInProcess(list [][]float64) *finding.Finding {
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
	if lo, _, ok := beyond(growth, math.Log1p(worthGrowth), suspicionAlpha); !ok || lo < 0 {
		return nil
	}
	f := catalog.GrowsInProcess.Of("", finding.Count("slower", up, ""), finding.Count("processes", len(growth), "process"), finding.Share("growth", math.Expm1(mean(growth))))
	return &f
}
