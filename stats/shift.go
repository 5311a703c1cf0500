package stats

import (
	"fmt"
	"math"
	"slices"
)

// Shift is the Hodges–Lehmann estimate of how far x lies above y: the median
// of all differences x_i − y_j (Hodges & Lehmann, Ann. Math. Statist. 34,
// 1963). It is NaN when a sample is empty or holds a NaN.
func Shift(x, y []float64) float64 { return new(RankSums).Shifts(x, y).Shift() }

// ShiftBounds is [Shifts.Bounds] of x and y.
func (r *RankSums) ShiftBounds(x, y []float64, misrate float64) (lo, hi float64, err error) {
	return r.Shifts(x, y).Bounds(misrate)
}

// Shifts estimates how far one sample lies above another one.
type Shifts struct {
	ranks *RankSums
	n, m  int
	nan   bool
	differences
}

// Shifts returns what estimates how far x lies above y. It holds the memory of
// the receiver, until the next call, and sorted samples as they are.
func (r *RankSums) Shifts(x, y []float64) *Shifts {
	s := &r.shifts
	s.ranks, s.n, s.m = r, len(x), len(y)
	s.nan = len(x) == 0 || len(y) == 0 || hasNaN(x) || hasNaN(y)
	if !s.nan {
		s.reset(ascending(x), ascending(y))
	}
	return s
}

// Shift is [Shift] of the two samples.
func (s *Shifts) Shift() float64 {
	if s.nan {
		return math.NaN()
	}
	pairs := s.n * s.m
	a := s.at((pairs - 1) / 2)
	if pairs%2 == 1 {
		return a
	}
	b := s.at(pairs / 2)
	return a + (b-a)/2
}

// Bounds returns an interval for Shift that misses the true shift with
// probability at most misrate (0.05 for 95% confidence): the k-th smallest
// and the k-th largest difference, where k counts the u with P(U ≤ u) ≤
// misrate/2, as in R's wilcox.test. It leaves out 0 exactly where the
// Mann–Whitney test without ties gives a p-value of at most misrate. The error
// is ErrTooFew when no finite interval has that confidence.
func (s *Shifts) Bounds(misrate float64) (lo, hi float64, err error) {
	k := 0
	if !s.nan && misrate > 0 && misrate <= 1 {
		k = s.ranks.criticalU(s.n, s.m, misrate)
	}
	if k == 0 {
		return math.NaN(), math.NaN(), fmt.Errorf("bound the shift of %d and %d values at misrate %v: %w", s.n, s.m, misrate, ErrTooFew)
	}
	k = min(k, (s.n*s.m+1)/2)
	return s.at(k - 1), s.at(s.n*s.m - k), nil
}

// criticalU counts the u with P(U ≤ u) ≤ misrate/2.
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

// differences are all x_i − y_j of two samples in ascending order, without
// forming them: where one of them lies is found by counting, in one walk, the
// pairs below a number. What was counted for one narrows the search for the
// next.
type differences struct {
	x, y  []float64 // ascending
	known []counted // ascending
	// within are the differences from number first on that were formed last.
	within []float64
	first  int
}

// counted is a number and how many pairs have a difference up to it.
type counted struct {
	at   float64
	upTo int
}

// reset makes d the differences of x and y, which are sorted.
func (d *differences) reset(x, y []float64) {
	n, m := len(x), len(y)
	d.x, d.y = x, y
	d.known = append(d.known[:0], counted{math.Nextafter(x[0]-y[m-1], math.Inf(-1)), 0}, counted{x[n-1] - y[0], n * m})
	d.within = d.within[:0]
}

const (
	// fewDifferences are formed and sorted.
	fewDifferences = 48
	// beyond is how far from the wanted difference the search looks, so that it
	// has it between two numbers soon.
	beyond = fewDifferences / 3
)

// at returns the k-th smallest difference, from 0.
func (d *differences) at(k int) float64 {
	if i := k - d.first; i >= 0 && i < len(d.within) {
		return d.within[i]
	}
	i := 1
	for d.known[i].upTo <= k {
		i++
	}
	lo, hi := d.known[i-1], d.known[i]
	for step := 0; hi.upTo-lo.upTo > fewDifferences; step++ {
		// Where the pair would lie if they were spread evenly, and a little
		// beyond; now and then the middle, which does not depend on how they
		// are spread.
		below, all := float64(k-lo.upTo)+0.5, float64(hi.upTo-lo.upTo)
		if 2*below < all {
			below += beyond
		} else {
			below -= beyond
		}
		share := min(max(below/all, 0.02), 0.98)
		if step%4 == 3 {
			share = 0.5
		}
		at := lo.at + (hi.at-lo.at)*share
		if step > 30 || !(at > lo.at && at < hi.at) { // many equal differences, or infinite ones
			return halved(d.x, d.y, k, lo.at, hi.at)
		}
		c := counted{at, pairsUpTo(d.x, d.y, at)}
		d.known = slices.Insert(d.known, i, c)
		if c.upTo > k {
			hi = c
		} else {
			lo = c
			i++
		}
	}
	d.form(lo, hi)
	return d.within[k-d.first]
}

// form forms the differences above lo and up to hi.
func (d *differences) form(lo, hi counted) {
	within := d.within[:0]
	from, to := 0, 0 // y[to:from] makes differences above lo and up to hi
	for _, v := range d.x {
		for to < len(d.y) && v-d.y[to] > hi.at {
			to++
		}
		for from < len(d.y) && (lo.upTo == 0 || v-d.y[from] > lo.at) { // lo is no number below -Inf
			from++
		}
		for _, w := range d.y[to:max(from, to)] {
			within = append(within, v-w)
		}
	}
	slices.Sort(within)
	d.within, d.first = within, lo.upTo
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
