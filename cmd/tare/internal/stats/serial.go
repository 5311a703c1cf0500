package stats

import (
	"math"
	"slices"
)

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
	n, sorted := len(x), ascending(x)
	mean := float64(n+1) / 2
	above, below, last := 0.0, 0.0, 0.0
	for i, v := range x {
		first, _ := slices.BinarySearch(sorted, v)
		rank := float64(first) + float64(ties(sorted[first:])+1)/2 // ties have the mean of their ranks
		below += (rank - mean) * (rank - mean)
		if i > 0 {
			above += (rank - last) * (rank - last)
		}
		last = rank
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

const leastForSerial = 10

func ties(sorted []float64) int {
	n := 1
	for n < len(sorted) && sorted[n] == sorted[0] {
		n++
	}
	return n
}
