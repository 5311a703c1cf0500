package stats

import (
	"cmp"
	"math"
	"slices"
)

// Holm adjusts p-values. If values ≤ α are called significant, the
// probability of any false call is at most α (Holm 1979). NaN marks a missing
// test. It stays NaN and does not count.
func Holm(p []float64) []float64 {
	var order []int // without the missing tests
	for i, v := range p {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	out := slices.Clone(p)
	greatest := 0.0
	for i, j := range order {
		greatest = max(greatest, min(1, p[j]*float64(len(order)-i)))
		out[j] = greatest
	}
	return out
}
