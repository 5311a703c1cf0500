package stats

import (
	"math"
	"slices"
)

// Trend is what the order of a sample shows.
type Trend struct {
	// Tau is Kendall's correlation of values with their order, in [−1, 1]:
	// positive when later values are larger.
	Tau float64
	// P is the two-sided p-value of "the order does not matter"; NaN for
	// fewer than 8 values.
	P float64
	// Change is the median of the last third less that of the first.
	Change float64
}

// MannKendall tests a sample in the order it was taken for a trend (Mann,
// Econometrica 13, 1945; Kendall, Rank Correlation Methods), by the normal
// approximation with corrections for ties and continuity.
func MannKendall(x []float64) Trend {
	n := len(x)
	if n < 8 || hasNaN(x) {
		return Trend{Tau: math.NaN(), P: math.NaN(), Change: math.NaN()}
	}
	third := n / 3
	t := Trend{Change: Median(x[n-third:]) - Median(x[:third])}
	inversions, sorted := countInversions(slices.Clone(x), make([]float64, n))
	pairs, tiedPairs, tieTerm := float64(n)*float64(n-1)/2, 0.0, 0.0
	for i := 0; i < n; {
		j := i
		for j < n && sorted[j] == sorted[i] {
			j++
		}
		k := float64(j - i)
		tiedPairs += k * (k - 1) / 2
		tieTerm += k * (k - 1) * (2*k + 5)
		i = j
	}
	if tiedPairs == pairs {
		t.P = 1
		return t
	}
	s := pairs - tiedPairs - 2*inversions
	t.Tau = s / math.Sqrt((pairs-tiedPairs)*pairs)
	m := float64(n)
	variance := (m*(m-1)*(2*m+5) - tieTerm) / 18
	t.P = min(1, math.Erfc(max(0, math.Abs(s)-1)/math.Sqrt(2*variance)))
	return t
}

// countInversions sorts x and counts the pairs that stood in falling order.
func countInversions(x, scratch []float64) (float64, []float64) {
	n := len(x)
	if n < 2 {
		return 0, x
	}
	half := n / 2
	a, left := countInversions(x[:half], scratch[:half])
	b, right := countInversions(x[half:], scratch[half:])
	count := a + b
	i, j, out := 0, 0, scratch[:0]
	for i < len(left) || j < len(right) {
		if j == len(right) || i < len(left) && left[i] <= right[j] {
			out = append(out, left[i])
			i++
		} else {
			count += float64(len(left) - i)
			out = append(out, right[j])
			j++
		}
	}
	copy(x, out)
	return count, x
}

// Serial is how much neighbors in time resemble each other.
type Serial struct {
	// Correlation is that of the ranks of neighbors, near 0 for independent
	// values.
	Correlation float64
	// P is the one-sided p-value of "the order does not matter" against
	// neighbors that resemble each other; NaN for fewer than 10 values.
	P float64
}

// SerialCorrelation is von Neumann's ratio of the ranks of a sample in the
// order it was taken (Bartels, J. Amer. Statist. Assoc. 77, 1982), by the
// normal approximation. Values that resemble their neighbors carry less
// information than their number says: a test that takes them as independent
// claims too much.
func SerialCorrelation(x []float64) Serial {
	n := len(x)
	if n < 10 || hasNaN(x) {
		return Serial{math.NaN(), math.NaN()}
	}
	rank := midRanks(x)
	mean := float64(n+1) / 2
	above, below := 0.0, 0.0
	for i, r := range rank {
		below += (r - mean) * (r - mean)
		if i > 0 {
			above += (r - rank[i-1]) * (r - rank[i-1])
		}
	}
	if below == 0 {
		return Serial{0, 1}
	}
	ratio := above / below // about 2 when independent
	m := float64(n)
	variance := 4 * (m - 2) * (5*m*m - 2*m - 9) / (5 * m * (m + 1) * (m - 1) * (m - 1))
	z := (ratio - 2) / math.Sqrt(variance)
	return Serial{1 - ratio/2, math.Erfc(-z/math.Sqrt2) / 2}
}

// midRanks gives every value its rank from 1, ties the mean of theirs.
func midRanks(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case x[a] < x[b]:
			return -1
		case x[a] > x[b]:
			return 1
		}
		return 0
	})
	rank := make([]float64, len(x))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && x[order[j]] == x[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			rank[k] = float64(i+1+j) / 2
		}
		i = j
	}
	return rank
}
