package stats

import (
	"fmt"
	"math"
	"slices"
)

// Shifts estimates the distance of one sample above another.
type Shifts struct {
	ranks *RankSums
	x, y  []float64 // ascending
	valid bool      // both samples have values, and no NaN
}

// Shifts returns an estimator of the distance of x above y. It does not copy
// sorted input.
func (r *RankSums) Shifts(x, y []float64) *Shifts {
	valid := len(x) > 0 && len(y) > 0 && !hasNaN(x) && !hasNaN(y)
	return &Shifts{ranks: r, x: ascending(x), y: ascending(y), valid: valid}
}

// Shift is the Hodges–Lehmann estimate of the distance of x above y: the median
// of all differences x_i − y_j (Hodges & Lehmann, Ann. Math. Statist. 34,
// 1963). It is NaN if a sample is empty or contains a NaN.
func (s *Shifts) Shift() float64 {
	if !s.valid {
		return math.NaN()
	}
	pairs := len(s.x) * len(s.y)
	a := s.at((pairs - 1) / 2)
	if pairs%2 == 1 {
		return a
	}
	b := s.at(pairs / 2)
	return a + (b-a)/2
}

// Bounds returns an interval for Shift that misses the true shift with
// probability at most misrate (0.05 for 95% confidence). The ends are the k-th
// smallest and the k-th largest difference. k is the number of u with P(U ≤ u)
// ≤ misrate/2, as in R's wilcox.test. The interval excludes 0 exactly if the
// Mann–Whitney test without ties gives a p-value of at most misrate. The error
// is ErrTooFew if no finite interval has that confidence.
func (s *Shifts) Bounds(misrate float64) (lo, hi float64, err error) {
	k, n, m := 0, len(s.x), len(s.y)
	if s.valid && misrate > 0 && misrate <= 1 {
		k = s.ranks.criticalU(n, m, misrate)
	}
	if k == 0 {
		return math.NaN(), math.NaN(), fmt.Errorf("bound the shift of %d and %d values at misrate %v: %w", n, m, misrate, ErrTooFew)
	}
	k = min(k, (n*m+1)/2)
	return s.at(k - 1), s.at(n*m - k), nil
}

// criticalU is the number of u with P(U ≤ u) ≤ misrate/2.
func (r *RankSums) criticalU(n, m int, misrate float64) int {
	if n*m <= exactPairs {
		tails := r.lowerTails(n, m)
		k, _ := slices.BinarySearchFunc(tails, misrate/2, func(tail, most float64) int {
			if tail > most {
				return 1
			}
			return -1
		})
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

// LeastRuns is the smallest equal number of values of two samples that can give a
// p-value of at most alpha. It is 0 if no number up to 50 can.
func LeastRuns(alpha float64) int {
	for n := 1; n <= 50; n++ {
		if SmallestP(n, n) <= alpha {
			return n
		}
	}
	return 0
}

// fewDifferences are formed and sorted.
const fewDifferences = 32

// at returns the k-th smallest difference, from 0, without forming all. It narrows
// the range of the difference by counting the pairs below a number in it: first as
// if they were spread evenly, then by halves of the floating-point numbers, which
// end at a value that many pairs share.
func (s *Shifts) at(k int) float64 {
	lo, hi := fromOrdinal(ordinal(s.x[0]-s.y[len(s.y)-1])-1), s.x[len(s.x)-1]-s.y[0]
	below, upTo := 0, len(s.x)*len(s.y)
	for step := 0; upTo-below > fewDifferences; step++ {
		mid := lo + (hi-lo)*(float64(k-below)+0.5)/float64(upTo-below)
		if step > 8 || !(mid > lo && mid < hi) {
			a, b := ordinal(lo), ordinal(hi)
			mid = fromOrdinal(a + int64(uint64(b-a)/2))
		}
		if n := pairsUpTo(s.x, s.y, mid); n > k {
			hi, upTo = mid, n
		} else {
			lo, below = mid, n
		}
		if uint64(ordinal(hi)-ordinal(lo)) == 1 {
			return hi
		}
	}
	var within []float64
	from, to := 0, 0
	for _, v := range s.x {
		for from < len(s.y) && v-s.y[from] > hi {
			from++
		}
		for to < len(s.y) && (below == 0 || v-s.y[to] > lo) { // before -Inf there is no number
			to++
		}
		for _, w := range s.y[from:to] {
			within = append(within, v-w)
		}
	}
	slices.Sort(within)
	return within[k-below]
}

// pairsUpTo counts the pairs with x_i − y_j ≤ most.
func pairsUpTo(x, y []float64, most float64) int {
	count, j := 0, 0 // j: ys too small, grows with x
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
