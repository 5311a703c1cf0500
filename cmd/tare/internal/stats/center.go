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
	c := -1
	cumulative := 0.0
	for w, mass := range signedRankMass(n) {
		cumulative += mass
		if n == 0 || 2*cumulative > misrate {
			break
		}
		c = w
	}
	return c
}

// signedRankMass is P(W = w) of the signed-rank sum of n values without ties,
// for w up to half of the sum of the ranks.
func signedRankMass(n int) []float64 {
	mass := make([]float64, n*(n+1)/4+1)
	mass[0] = 1
	for r := 1; r <= n; r++ {
		for w := len(mass) - 1; w >= 0; w-- {
			if w >= r {
				mass[w] += mass[w-r]
			}
			mass[w] /= 2
		}
	}
	return mass
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
