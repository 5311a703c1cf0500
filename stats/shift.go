package stats

import (
	"fmt"
	"math"
	"slices"
)

// Shift is the Hodges–Lehmann estimate of how far x lies above y: the median
// of all differences x_i − y_j (Hodges & Lehmann, Ann. Math. Statist. 34,
// 1963). It is NaN when a sample is empty or holds a NaN.
func Shift(x, y []float64) float64 {
	if len(x) == 0 || len(y) == 0 || hasNaN(x) || hasNaN(y) {
		return math.NaN()
	}
	x, y = ascending(x), ascending(y)
	pairs := len(x) * len(y)
	a := difference(x, y, (pairs-1)/2)
	if pairs%2 == 1 {
		return a
	}
	b := difference(x, y, pairs/2)
	return a + (b-a)/2
}

// ShiftBounds returns an interval for Shift that misses the true shift with
// probability at most misrate (0.05 for 95% confidence): the k-th smallest
// and the k-th largest difference, where k counts the u with P(U ≤ u) ≤
// misrate/2, as in R's wilcox.test. It leaves out 0 exactly where the
// Mann–Whitney test without ties gives a p-value of at most misrate. The error
// is ErrTooFew when no finite interval has that confidence.
func (r *RankSums) ShiftBounds(x, y []float64, misrate float64) (lo, hi float64, err error) {
	n, m := len(x), len(y)
	if n == 0 || m == 0 || hasNaN(x) || hasNaN(y) || !(misrate > 0 && misrate <= 1) {
		return math.NaN(), math.NaN(), fmt.Errorf("bound the shift of %d and %d values at misrate %v: %w", n, m, misrate, ErrTooFew)
	}
	k := r.criticalU(n, m, misrate)
	if k == 0 {
		return math.NaN(), math.NaN(), fmt.Errorf("bound the shift of %d and %d values at misrate %v: %w", n, m, misrate, ErrTooFew)
	}
	x, y = ascending(x), ascending(y)
	k = min(k, (n*m+1)/2)
	return difference(x, y, k-1), difference(x, y, n*m-k), nil
}

// criticalU counts the u with P(U ≤ u) ≤ misrate/2.
func (r *RankSums) criticalU(n, m int, misrate float64) int {
	if n*m <= exactPairs {
		k := 0
		for _, tail := range r.lowerTails(n, m) {
			if tail > misrate/2 {
				break
			}
			k++
		}
		return k
	}
	pairs := float64(n) * float64(m)
	z := -math.Sqrt2 * math.Erfinv(1-misrate)
	u := pairs/2 - 0.5 + z*math.Sqrt(pairs*float64(n+m+1)/12)
	return max(0, int(math.Floor(u))+1)
}

// SmallestP is the smallest two-sided p-value that samples of n and m values
// without ties can give.
func SmallestP(n, m int) float64 {
	if n <= 0 || m <= 0 {
		return 1
	}
	return min(1, 2*math.Exp(-logChoose(n+m, n)))
}

// difference returns the k-th smallest (from 0) of all x_i − y_j for sorted x
// and y, without forming them: it narrows an interval (lo, hi] that holds it by
// counting, in one walk, the pairs below a number in between, until few pairs
// are left in it, and sorts those.
func difference(x, y []float64, k int) float64 {
	n, m := len(x), len(y)
	hi := x[n-1] - y[0]
	lo := math.Nextafter(x[0]-y[m-1], math.Inf(-1))
	below, upTo := 0, n*m // pairs up to lo, up to hi
	var few [64]float64
	for step := 0; upTo-below > len(few); step++ {
		// Where the pair would lie if they were spread evenly; now and then
		// the middle, which does not depend on how they are spread.
		share := (float64(k-below) + 0.5) / float64(upTo-below)
		if step%3 == 2 {
			share = 0.5
		}
		at := lo + (hi-lo)*min(max(share, 0.05), 0.95)
		if step > 30 || !(at > lo && at < hi) { // many equal differences, or infinite ones
			return halved(x, y, k, lo, hi)
		}
		if count := pairsUpTo(x, y, at); count > k {
			hi, upTo = at, count
		} else {
			lo, below = at, count
		}
	}
	within := few[:0]
	from, to := 0, 0 // y[to:from] makes differences above lo and up to hi
	for _, v := range x {
		for to < m && v-y[to] > hi {
			to++
		}
		for from < m && (below == 0 || v-y[from] > lo) { // lo is no number below -Inf
			from++
		}
		for _, w := range y[to:max(from, to)] {
			within = append(within, v-w)
		}
	}
	slices.Sort(within)
	return within[k-below]
}

// pairsUpTo counts the pairs with x_i − y_j ≤ most.
func pairsUpTo(x, y []float64, most float64) int {
	count, j := 0, 0 // j: ys too small; it grows with x
	for _, v := range x {
		for j < len(y) && v-y[j] > most {
			j++
		}
		if j == len(y) {
			break
		}
		count += len(y) - j
	}
	return count
}

// halved is difference by halving the interval of floating-point numbers.
func halved(x, y []float64, k int, from, to float64) float64 {
	lo, hi := ordinal(from), ordinal(to)
	for lo < hi {
		mid := lo + int64(uint64(hi-lo)/2)
		if pairsUpTo(x, y, fromOrdinal(mid)) > k {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return fromOrdinal(lo)
}

// ordinal maps floats to integers of the same order.
func ordinal(v float64) int64 {
	b := int64(math.Float64bits(v))
	if b < 0 {
		return math.MinInt64 - b
	}
	return b
}

func fromOrdinal(i int64) float64 {
	if i < 0 {
		i = math.MinInt64 - i
	}
	return math.Float64frombits(uint64(i))
}
