package judge

import (
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// WeightedCenter is the weighted Hodges–Lehmann center: the median of
// (d_i/s_i + d_j/s_j)/(1/s_i + 1/s_j) over i ≤ j, where d_i has spread s_i > 0.
// A nil s means equal weights.
func WeightedCenter(d, s []float64) float64 { return stats.Median(walshAverages(d, s)) }

// walshAverages are the weighted averages (d_i/s_i + d_j/s_j)/(1/s_i + 1/s_j)
// over i ≤ j, ascending. The number of them above θ is the signed-rank
// statistic of (d_i − θ)/s_i. A nil s means equal weights.
func walshAverages(d, s []float64) []float64 {
	n := len(d)
	m := make([]float64, 0, n*(n+1)/2)
	for i, a := range d {
		m = append(m, a)
		for j := i + 1; j < n; j++ {
			w := 0.5
			if s != nil {
				w = s[j] / (s[i] + s[j])
			}
			m = append(m, a*w+d[j]*(1-w))
		}
	}
	slices.Sort(m)
	return m
}
