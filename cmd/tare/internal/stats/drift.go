package stats

import (
	"math"
	"slices"
)

// Trend describes the order of a sample.
type Trend struct {
	// Tau is Kendall's correlation of values with their order, in [−1, 1]. It
	// is positive if later values are larger.
	Tau float64
	// P is the two-sided p-value of "the order does not matter". It is NaN for
	// fewer than 8 values.
	P float64
	// Change is the median of the last third minus the median of the first.
	Change float64
}

// MannKendall tests a sample, in the order in which it was taken, for a trend
// (Mann, Econometrica 13, 1945; Kendall, Rank Correlation Methods). It uses the
// normal approximation with corrections for ties and continuity.
func MannKendall(x []float64) Trend {
	if len(x) < leastForTrend || hasNaN(x) {
		return Trend{Tau: math.NaN(), P: math.NaN(), Change: math.NaN()}
	}
	var r RunOrder
	r.sort(x)
	return r.trend()
}

// Serial describes how much neighbors in time resemble each other.
type Serial struct {
	// Correlation is the correlation of the ranks of neighbors. It is near 0
	// for independent values.
	Correlation float64
	// P is the one-sided p-value of "the order does not matter" against
	// neighbors that resemble each other. It is NaN for fewer than 10 values.
	P float64
}

// SerialCorrelation is von Neumann's ratio of the ranks of a sample, in the
// order in which it was taken (Bartels, J. Amer. Statist. Assoc. 77, 1982). It
// uses the normal approximation. Values that resemble their neighbors carry
// less information than their number suggests. A test that assumes independence
// then claims too much.
func SerialCorrelation(x []float64) Serial {
	if len(x) < leastForSerial || hasNaN(x) {
		return Serial{math.NaN(), math.NaN()}
	}
	var r RunOrder
	r.sort(x)
	return r.serial()
}

// The minimum numbers of values for tests of the order.
const (
	leastForTrend  = 8
	leastForSerial = 10
)

// RunOrder tests the order of samples and reuses the memory for it. The zero
// value is ready. It is not safe for concurrent use.
type RunOrder struct {
	sorted, scratch []ordered
	inversions      int // pairs in descending order
	rank            []float64
}

// ordered is a value and its position in the order.
type ordered struct {
	v  float64
	at int
}

// Sort returns [MannKendall] and [SerialCorrelation] of x, and sorts x. Both
// tests need x sorted, which happens once.
func (r *RunOrder) Sort(x []float64) (Trend, Serial) {
	trend, serial := Trend{Tau: math.NaN(), P: math.NaN(), Change: math.NaN()}, Serial{math.NaN(), math.NaN()}
	if len(x) < leastForTrend || hasNaN(x) {
		slices.Sort(x)
		return trend, serial
	}
	r.sort(x)
	trend = r.trend()
	if len(x) >= leastForSerial {
		serial = r.serial()
	}
	for i, o := range r.sorted {
		x[i] = o.v
	}
	return trend, serial
}

// sortedByInsertion is the number of neighbors that are sorted by insertion
// before they are merged.
const sortedByInsertion = 8

// sort sorts x into r and counts the inversions.
func (r *RunOrder) sort(x []float64) {
	n := len(x)
	r.inversions = 0
	a, b := r.sorted[:0], slices.Grow(r.scratch[:0], n)[:n]
	for i, v := range x {
		a = append(a, ordered{v, i})
		from := i - i%sortedByInsertion
		for i > from && a[i-1].v > v {
			a[i] = a[i-1]
			i--
			r.inversions++
		}
		a[i] = ordered{v, len(a) - 1}
	}
	for size := sortedByInsertion; size < n; size *= 2 {
		for from := 0; from < n; from += 2 * size {
			mid, end := min(from+size, n), min(from+2*size, n)
			r.inversions += merge(a[from:mid], a[mid:end], b[from:end])
		}
		a, b = b, a
	}
	r.sorted, r.scratch = a, b
}

// merge merges two sorted runs, the earlier one first, into out. It counts the
// pairs whose later value is smaller.
func merge(left, right, out []ordered) (inversions int) {
	i, j := 0, 0
	for k := range out {
		switch {
		case j == len(right):
			copy(out[k:], left[i:])
			return inversions
		case i == len(left):
			copy(out[k:], right[j:])
			return inversions
		case left[i].v <= right[j].v:
			out[k] = left[i]
			i++
		default:
			inversions += len(left) - i
			out[k] = right[j]
			j++
		}
	}
	return inversions
}

func (r *RunOrder) trend() Trend {
	n := len(r.sorted)
	third := n / 3
	t := Trend{Change: r.medianOf(n-third, n) - r.medianOf(0, third)}
	pairs, tiedPairs, tieTerm := float64(n)*float64(n-1)/2, 0.0, 0.0
	for i := 0; i < n; {
		j := r.tie(i)
		k := float64(j - i)
		tiedPairs += k * (k - 1) / 2
		tieTerm += k * (k - 1) * (2*k + 5)
		i = j
	}
	if tiedPairs == pairs {
		t.P = 1
		return t
	}
	s := pairs - tiedPairs - 2*float64(r.inversions)
	t.Tau = s / math.Sqrt((pairs-tiedPairs)*pairs)
	m := float64(n)
	variance := (m*(m-1)*(2*m+5) - tieTerm) / 18
	t.P = min(1, math.Erfc(max(0, math.Abs(s)-1)/math.Sqrt(2*variance)))
	return t
}

// tie is the end of the values that are equal to the value at i.
func (r *RunOrder) tie(i int) int {
	v := r.sorted[i].v
	for i < len(r.sorted) && r.sorted[i].v == v {
		i++
	}
	return i
}

// medianOf is the median of the values from position from up to position to.
func (r *RunOrder) medianOf(from, to int) float64 {
	before, below := (to-from-1)/2, 0.0 // as many come before the lower middle one
	for _, o := range r.sorted {
		if o.at < from || o.at >= to {
			continue
		}
		switch before {
		case 0:
			if (to-from)%2 == 1 {
				return o.v
			}
			below = o.v
		case -1:
			return below/2 + o.v/2
		}
		before--
	}
	return math.NaN()
}

func (r *RunOrder) serial() Serial {
	n := len(r.sorted)
	r.rank = slices.Grow(r.rank[:0], n)[:n]
	for i := 0; i < n; {
		j := r.tie(i)
		for _, o := range r.sorted[i:j] {
			r.rank[o.at] = float64(i+1+j) / 2 // ties have the mean of their ranks
		}
		i = j
	}
	mean := float64(n+1) / 2
	above, below := 0.0, 0.0
	for i, k := range r.rank {
		below += (k - mean) * (k - mean)
		if i > 0 {
			above += (k - r.rank[i-1]) * (k - r.rank[i-1])
		}
	}
	if below == 0 {
		return Serial{0, 1}
	}
	ratio := above / below // about 2 if independent
	m := float64(n)
	variance := 4 * (m - 2) * (5*m*m - 2*m - 9) / (5 * m * (m + 1) * (m - 1) * (m - 1))
	z := (ratio - 2) / math.Sqrt(variance)
	return Serial{1 - ratio/2, math.Erfc(-z/math.Sqrt2) / 2}
}
