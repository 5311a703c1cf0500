package judge

import (
	"cmp"
	"math"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// signedRank is the result of Wilcoxon's signed-rank test of "the signs of
// the values are random signs, given their magnitudes".
type signedRank struct {
	// Plus and Minus are the sums of the ranks of the positive and of the
	// negative values. Equal magnitudes share the mean of their ranks. Zeros are
	// ranked with the others and then removed (Pratt 1959).
	Plus, Minus float64
	// P is the exact two-sided p-value, at most 1, given the observed ranks.
	P float64
}

// SignedRankP is the exact two-sided p-value of Wilcoxon's signed-rank test of
// x, given its ties and zeros. The size of the sample must have been fixed
// beforehand.
func SignedRankP(x []float64) float64 { return signedRankTest(x).P }

// signedRankTest is exact for ties and zeros: it counts all sign patterns of
// the observed ranks. Time grows with n³, about 0.1 ms at n = 40.
func signedRankTest(x []float64) signedRank {
	r := prattRanks(x)
	plus, total := int32(0), int32(0)
	for i, v := range x {
		total += r[i]
		if v > 0 {
			plus += r[i]
		}
	}
	p := twoSided(r)
	return signedRank{
		Plus:  float64(plus) / 2,
		Minus: float64(total-plus) / 2,
		P:     p[min(plus, total-plus)],
	}
}

// doubledRanks are the ranks of |x| times two, so that mid-ranks are whole.
func doubledRanks(x []float64) []int32 {
	n := len(x)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(x[a]), math.Abs(x[b])) })
	ranks := make([]int32, n)
	for i := 0; i < n; {
		j := i + 1
		for j < n && math.Abs(x[order[j]]) == math.Abs(x[order[i]]) {
			j++
		}
		for _, k := range order[i:j] {
			ranks[k] = int32(i + 1 + j) // twice the mean of i+1 … j
		}
		i = j
	}
	return ranks
}

func prattRanks(x []float64) []int32 {
	ranks := doubledRanks(x)
	for i, v := range x {
		if v == 0 {
			ranks[i] = 0
		}
	}
	return ranks
}

// twoSided tabulates the exact two-sided p-value by min(Plus, Minus), both in doubled
// ranks. It is min(1, 2·P(W ≤ w)) if every rank is in W with probability one half.
func twoSided(ranks []int32) []float64 {
	p := stats.SignedRankTails(ranks)
	for w, tail := range p {
		p[w] = min(1, 2*tail)
	}
	return p
}
