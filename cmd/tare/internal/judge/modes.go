package judge

import (
	"math"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/internal/finding"
)

// twoModes splits the slices in two at the least variance (Otsu 1979) and
// reports if the two are far apart and both common. Values are relative to
// their process: differences between processes are effects of the function
// order, not modes.
func twoModes(list []process) *finding.Finding {
	var x []float64
	for _, p := range list {
		m := stats.Median(p.times)
		for _, t := range p.times {
			if t > 0 && m > 0 {
				x = append(x, math.Log(t/m))
			}
		}
	}
	if len(x) < 40 {
		return nil
	}
	slices.Sort(x)
	cut := otsu(x)
	low, high := x[:cut], x[cut:]
	if share := float64(min(len(low), len(high))) / float64(len(x)); share < modeShare {
		return nil
	}
	a, b := stats.Median(low), stats.Median(high)
	const normal = 1.4826 // from median absolute deviation to standard deviation
	spread := normal * max(stats.MAD(low), stats.MAD(high))
	if b-a < modeDistance || b-a < modeClarity*spread {
		return nil
	}
	// A valley: the middle third between the modes is nearly empty.
	inside := 0
	for _, v := range x {
		if v > a+(b-a)/3 && v < b-(b-a)/3 {
			inside++
		}
	}
	if inside*10 > min(len(low), len(high)) {
		return nil
	}
	f := kind.TwoModes.Of("", finding.Share("part", float64(len(high))/float64(len(x))), finding.Share("distance", math.Expm1(b-a)))
	return &f
}

// otsu returns the cut of sorted values that makes the variance between the
// parts greatest.
func otsu(x []float64) int {
	total := 0.0
	for _, v := range x {
		total += v
	}
	best, cut, sum := -1.0, 1, 0.0
	for i := 1; i < len(x); i++ {
		sum += x[i-1]
		n, m := float64(i), float64(len(x)-i)
		d := sum/n - (total-sum)/m
		if between := n * m * d * d; between > best {
			best, cut = between, i
		}
	}
	return cut
}

// unstable tests the spread of the processes if there are enough of them for a
// middle half, otherwise the spread of the slices.
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
