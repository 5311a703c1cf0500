package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Center is the Hodges–Lehmann centre of x: the median of the averages
// (x_i + x_j)/2 over i ≤ j (Hodges and Lehmann 1963). It resists up to 29 % of
// wild values and needs few samples more than the mean. NaN for an empty x.
func Center(x []float64) float64 { return medianSorted(walshAverages(x, nil)) }

// WeightedCenter is the weighted Hodges–Lehmann centre: the median of
// (d_i/s_i + d_j/s_j)/(1/s_i + 1/s_j) over i ≤ j, where d_i has spread s_i > 0.
// A nil s means equal weights.
func WeightedCenter(d, s []float64) float64 { return medianSorted(walshAverages(d, s)) }

// ErrTooFew is returned where a sample cannot carry an interval of the
// confidence that was asked for.
var ErrTooFew = errors.New("too few values for this confidence")

// CenterBounds bounds the centre of the symmetric population behind x: the
// k-th smallest and the k-th largest of the averages of [Center], with k from
// the exact signed-rank distribution of n values without ties, so that each
// side misses with probability at most misrate/2.
func CenterBounds(x []float64, misrate float64) (lo, hi float64, err error) {
	n := len(x)
	if !(misrate > 0 && misrate <= 1) {
		return 0, 0, fmt.Errorf("bound centre: misrate %v is not in (0, 1]", misrate)
	}
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, 0, fmt.Errorf("bound centre: value %d is %v", i, v)
		}
	}
	c := critical(n, misrate)
	if c < 0 {
		return 0, 0, fmt.Errorf("bound centre of %d values at misrate %v: %w", n, misrate, ErrTooFew)
	}
	m := walshAverages(x, nil)
	return m[c], m[len(m)-1-c], nil
}

// critical is the largest c with two-sided p ≤ misrate for n values without
// ties, or -1.
func critical(n int, misrate float64) int {
	ranks := make([]int32, n)
	for i := range ranks {
		ranks[i] = int32(2 * (i + 1))
	}
	p := twoSided(ranks)
	c := -1
	for w := 0; 2*w < len(p) && p[2*w] <= misrate && n > 0; w++ {
		c = w
	}
	return c
}

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
