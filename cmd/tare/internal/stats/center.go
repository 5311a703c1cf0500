package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Center is the Hodges–Lehmann center of x: the median of the averages (x_i +
// x_j)/2 over i ≤ j (Hodges and Lehmann 1963). It resists up to 29% of outliers
// and needs few samples more than the mean. It is NaN for an empty x.
func Center(x []float64) float64 { return medianSorted(WalshAverages(x)) }

// ErrTooFew is returned if a sample is too small for an interval of the
// requested confidence.
var ErrTooFew = errors.New("too few values for this confidence")

// CenterBounds bounds the center of the symmetric population of x. The bounds
// are the k-th smallest and the k-th largest of the averages of [Center]. The
// exact signed-rank distribution of n values without ties gives k, so that each
// bound misses with probability at most misrate/2.
func CenterBounds(x []float64, misrate float64) (lo, hi float64, err error) {
	n := len(x)
	if !(misrate > 0 && misrate <= 1) {
		return 0, 0, fmt.Errorf("bound center: misrate %v is not in (0, 1]", misrate)
	}
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, 0, fmt.Errorf("bound center: value %d is %v", i, v)
		}
	}
	c := critical(n, misrate)
	if c < 0 {
		return 0, 0, fmt.Errorf("bound center of %d values at misrate %v: %w", n, misrate, ErrTooFew)
	}
	m := WalshAverages(x)
	return m[c], m[len(m)-1-c], nil
}

// critical is the largest c with two-sided p ≤ misrate for n values without
// ties, or -1.
func critical(n int, misrate float64) int {
	ranks := make([]int32, n)
	for i := range ranks {
		ranks[i] = int32(i + 1)
	}
	c := -1
	for w, tail := range SignedRankTails(ranks) {
		if n == 0 || 2*tail > misrate {
			break
		}
		c = w
	}
	return c
}

// SignedRankTails is P(W ≤ w) for w up to half of the sum of the ranks, if every
// rank is in W with probability one half. Ranks of ties are doubled, so that they
// are whole.
func SignedRankTails(ranks []int32) []float64 {
	total := int32(0)
	for _, r := range ranks {
		total += r
	}
	half := total / 2 // this part of the distribution needs no larger sums
	tails := make([]float64, half+1)
	tails[0] = 1
	reach := int32(0)
	for _, r := range ranks {
		if r == 0 {
			continue
		}
		reach = min(half, reach+r)
		for w := reach; w >= r; w-- {
			tails[w] = (tails[w] + tails[w-r]) / 2
		}
		for w := min(r-1, reach); w >= 0; w-- {
			tails[w] /= 2
		}
	}
	sum := 0.0
	for w, mass := range tails {
		sum += mass
		tails[w] = sum
	}
	return tails
}

// WalshAverages are the averages (x_i + x_j)/2 over i ≤ j, ascending. The number
// of them above θ is the signed-rank statistic of x_i − θ.
func WalshAverages(x []float64) []float64 {
	n := len(x)
	m := make([]float64, 0, n*(n+1)/2)
	for i, a := range x {
		for _, b := range x[i:] {
			m = append(m, a/2+b/2)
		}
	}
	slices.Sort(m)
	return m
}
