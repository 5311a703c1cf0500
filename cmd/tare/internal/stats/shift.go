package stats

import (
	"fmt"
	"math"
	"slices"
)

// Shift is the Hodges–Lehmann estimate of the distance of x above y: the median
// of all differences x_i − y_j (Hodges & Lehmann, Ann. Math. Statist. 34,
// 1963). It is NaN if a sample is empty or contains a NaN.
func Shift(x, y []float64) float64 { return new(RankSums).Shifts(x, y).Shift() }

// ShiftBounds is [Shifts.Bounds] of x and y.
func (r *RankSums) ShiftBounds(x, y []float64, misrate float64) (lo, hi float64, err error) {
	return r.Shifts(x, y).Bounds(misrate)
}

// Shifts estimates the distance of one sample above another.
type Shifts struct {
	ranks *RankSums
	n, m  int
	valid bool // both samples have values, and no NaN
	differences
}

// Shifts returns an estimator of the distance of x above y. It shares r's
// buffers until the next call and does not copy sorted input.
func (r *RankSums) Shifts(x, y []float64) *Shifts {
	s := &r.shifts
	s.ranks, s.n, s.m = r, len(x), len(y)
	s.valid = len(x) > 0 && len(y) > 0 && !hasNaN(x) && !hasNaN(y)
	if s.valid {
		s.reset(ascending(x), ascending(y))
	}
	return s
}

// Shift is [Shift] of the two samples.
func (s *Shifts) Shift() float64 {
	if !s.valid {
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
// probability at most misrate (0.05 for 95% confidence). The ends are the k-th
// smallest and the k-th largest difference. k is the number of u with P(U ≤ u)
// ≤ misrate/2, as in R's wilcox.test. The interval excludes 0 exactly if the
// Mann–Whitney test without ties gives a p-value of at most misrate. The error
// is ErrTooFew if no finite interval has that confidence.
func (s *Shifts) Bounds(misrate float64) (lo, hi float64, err error) {
	k := 0
	if s.valid && misrate > 0 && misrate <= 1 {
		k = s.ranks.criticalU(s.n, s.m, misrate)
	}
	if k == 0 {
		return math.NaN(), math.NaN(), fmt.Errorf("bound the shift of %d and %d values at misrate %v: %w", s.n, s.m, misrate, ErrTooFew)
	}
	k = min(k, (s.n*s.m+1)/2)
	return s.at(k - 1), s.at(s.n*s.m - k), nil
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

// differences are all x_i − y_j of two samples in ascending order, without
// forming them. To find one of them, a walk counts the pairs below four numbers
// at once. Each count narrows the search for the next difference.
type differences struct {
	x, y  []float64 // ascending, with +Inf after the last
	known []counted // ascending
	// within are the most recently formed differences, from number first on.
	within []float64
	first  int
	// stairs contains for each x the first y whose difference is not above each
	// of the numbers of the last count.
	stairs [][lanes]int32
}

// counted is a number and how many pairs have a difference up to it.
type counted struct {
	at   float64
	upTo int
}

func (d *differences) reset(x, y []float64) {
	n, m := len(x), len(y)
	d.x, d.y = append(append(d.x[:0], x...), math.Inf(1)), append(append(d.y[:0], y...), math.Inf(1))
	// upTo reads sign bits: -0 becomes 0.
	for _, values := range [][]float64{d.x, d.y} {
		for i := range values {
			values[i] += 0
		}
	}
	x, y = d.x, d.y
	d.known = append(d.known[:0], counted{math.Nextafter(x[0]-y[m-1], math.Inf(-1)), 0}, counted{x[n-1] - y[0], n * m})
	d.within = d.within[:0]
}

const (
	// fewDifferences are formed and sorted.
	fewDifferences = 32
	// lanes is the number of limits that one walk counts for. Each lane waits
	// only for its own comparisons.
	lanes = 4
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
	if !(hi.at-lo.at <= math.MaxFloat64) { // infinite values
		return d.halved(k, lo.at, hi.at)
	}
	from, to := -1, -1 // the lanes of lo and hi
	for step := 0; hi.upTo-lo.upTo > fewDifferences; step++ {
		if step > 8 { // many equal differences
			return d.halved(k, lo.at, hi.at)
		}
		// Try the position of the pair in an even spread, and around it. Sometimes
		// try the whole range, which does not depend on the spread.
		all := float64(hi.upTo - lo.upTo)
		share := (float64(k-lo.upTo) + 0.5) / all
		apart := fewDifferences / 4 / all
		if step > 0 || all > 2000 {
			apart = max(apart, 1.0/24)
		}
		if step%3 == 2 {
			share, apart = 0.5, 0.1
		}
		from, to = -1, -1
		var at [lanes]float64
		for l := range at {
			at[l] = lo.at + (hi.at-lo.at)*min(max(share+apart*float64(2*l+1-lanes), 0), 1)
		}
		if len(d.known) == 2 { // the requested ranks are around the middle
			n, m := len(d.x)-1, len(d.y)-1
			center := d.x[n/2] - d.y[m/2]
			spread := math.Hypot(d.x[3*n/4]-d.x[n/4], d.y[3*m/4]-d.y[m/4])
			for l := range at {
				at[l] = center + spread*0.1*float64(2*l+1-lanes)
			}
		}
		for l, upTo := range d.upTo(&at) {
			c := counted{at[l], upTo}
			switch {
			case !(c.at > lo.at && c.at < hi.at):
			case upTo > k:
				hi, to = c, l
				d.known = slices.Insert(d.known, i, c)
			default:
				lo, from = c, l
				d.known = slices.Insert(d.known, i, c)
				i++
			}
		}
	}
	if from < 0 || to < 0 {
		d.upTo(&[lanes]float64{lo.at, hi.at, hi.at, hi.at})
		from, to = 0, 1
	}
	d.form(from, to)
	d.first = lo.upTo
	return d.within[k-d.first]
}

// upTo counts the pairs with differences up to each of some numbers. If the
// difference is too large, a step goes to the next, larger y, and otherwise to
// the next x. It has no branch that a CPU could mispredict. The infinite values
// after the samples take the steps of the lanes that have ended.
func (d *differences) upTo(most *[lanes]float64) (count [lanes]int) {
	x, y, m := d.x, d.y, len(d.y)-1
	d.stairs = slices.Grow(d.stairs[:0], len(x))[:len(x)]
	stairs := d.stairs
	m0, m1, m2, m3 := most[0], most[1], most[2], most[3]
	var j0, j1, j2, j3, c0, c1, c2, c3 int
	for step := range len(x) + len(y) - 2 {
		// The sign bit of most − difference is 1 if the difference is too
		// large.
		s := int(math.Float64bits(m0-(x[step-j0]-y[j0])) >> 63)
		c0 += (m - j0) & (s - 1)
		stairs[step-j0][0] = int32(j0)
		j0 += s
		s = int(math.Float64bits(m1-(x[step-j1]-y[j1])) >> 63)
		c1 += (m - j1) & (s - 1)
		stairs[step-j1][1] = int32(j1)
		j1 += s
		s = int(math.Float64bits(m2-(x[step-j2]-y[j2])) >> 63)
		c2 += (m - j2) & (s - 1)
		stairs[step-j2][2] = int32(j2)
		j2 += s
		s = int(math.Float64bits(m3-(x[step-j3]-y[j3])) >> 63)
		c3 += (m - j3) & (s - 1)
		stairs[step-j3][3] = int32(j3)
		j3 += s
	}
	return [lanes]int{c0, c1, c2, c3}
}

func (d *differences) form(above, upTo int) {
	within := d.within[:0]
	for i, v := range d.x[:len(d.x)-1] {
		stair := &d.stairs[i]
		for j := stair[upTo]; j < stair[above]; j++ {
			within = append(within, v-d.y[j])
		}
	}
	slices.Sort(within)
	d.within = within
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

// halved is at by halving the interval of floating-point numbers.
func (d *differences) halved(k int, from, to float64) float64 {
	x, y := d.x[:len(d.x)-1], d.y[:len(d.y)-1]
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
