package stats

import "math"

// MedianOrder picks the order statistics, counted from 1, that contain the
// median of any distribution with at least the given confidence. It takes the
// fewest gaps between neighbors of a sorted sample of n, starting from the
// middle. Of two equal gaps it takes the lower one (David & Nagaraja, Order
// Statistics, 2003, §7.1). Attained is the actual confidence. If n is too
// small, lo is 0 or hi is n+1, and that end is unbounded.
func MedianOrder(n int, confidence float64) (lo, hi int, attained float64) {
	if n <= 0 || confidence >= 1 {
		return 0, n + 1, 1
	}
	// Gap k is above k of the values. The median falls into it with the
	// binomial probability of k in n at one half.
	gap := func(k int) float64 {
		if k < 0 || k > n {
			return 0
		}
		return math.Exp(logChoose(n, k) - float64(n)*math.Ln2)
	}
	first := n / 2 // the middle gap, or the lower of two
	lo, hi = first, first+1
	attained = gap(first)
	for attained < confidence && (lo > 0 || hi <= n) {
		// Equal gaps differ by rounding: n−k and k are the same gap.
		if below, above := lo-1, hi; above > n || below >= 0 && below >= n-above {
			attained += gap(below)
			lo--
		} else {
			attained += gap(above)
			hi++
		}
	}
	return lo, hi, min(1, attained)
}

// LeastForMedian is the smallest n whose MedianOrder at confidence has both
// bounds. It is 0 if no n has them (confidence ≥ 1).
func LeastForMedian(confidence float64) int {
	if confidence >= 1 {
		return 0
	}
	for n := 2; ; n++ {
		if lo, hi, _ := MedianOrder(n, confidence); lo > 0 && hi <= n {
			return n
		}
	}
}
