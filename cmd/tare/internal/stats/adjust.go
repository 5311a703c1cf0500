package stats

import (
	"math"
	"slices"
)

// Holm adjusts p-values. If values ≤ α are called significant, the
// probability of any false call is at most α (Holm 1979). NaN marks a missing
// test. It stays NaN and does not count.
func Holm(p []float64) []float64 {
	order := testsInOrder(p)
	out := slices.Clone(p)
	greatest := 0.0
	for i, j := range order {
		greatest = max(greatest, min(1, p[j]*float64(len(order)-i)))
		out[j] = greatest
	}
	return out
}

func testsInOrder(p []float64) []int {
	order := make([]int, 0, len(p))
	for i, v := range p {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case p[a] < p[b]:
			return -1
		case p[a] > p[b]:
			return 1
		}
		return 0
	})
	return order
}
