package benchtab

import (
	"math"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// unevenSpread is the ratio of the median absolute deviations above which the
// spreads of two samples of one size differ.
const unevenSpread = 2

// uneven reports whether sizes or spreads of two samples differ, so that the
// Mann–Whitney test may find a difference for that reason alone.
func uneven(x, y []float64) bool {
	a, b := stats.MAD(x), stats.MAD(y)
	return len(x) != len(y) || a > unevenSpread*b || b > unevenSpread*a
}

// studentized is a two-sided p-value that allows for different spreads. It is
// the larger of two: Welch's test of the values, and the test of the ranks by
// Brunner and Munzel (Biometrical Journal 42, 2000). The samples are in
// ascending order.
func studentized(x, y []float64) float64 {
	t, degrees := welch(x, y)
	rank, rankDegrees := brunnerMunzel(x, y)
	return max(stats.FTail(t*t, 1, degrees), stats.FTail(rank*rank, 1, rankDegrees))
}

// brunnerMunzel is Brunner and Munzel's statistic with its degrees of freedom.
func brunnerMunzel(x, y []float64) (t, degrees float64) {
	t, degrees = welch(placements(y, x), placements(x, y))
	return t / 2, degrees
}

// placements are the shares of a sample below each value of another one. An
// equal value counts half.
func placements(sample, of []float64) []float64 {
	out := make([]float64, len(of))
	for i, v := range of {
		below, equal := slices.BinarySearch(sample, v)
		out[i] = float64(below)
		for ; equal && below < len(sample) && sample[below] == v; below++ {
			out[i] += 0.5
		}
		out[i] /= float64(len(sample))
	}
	return out
}

// welch is the difference of the means over its standard error, with its
// degrees of freedom. It is infinite if neither sample varies.
func welch(x, y []float64) (t, degrees float64) {
	meanX, squareX := meanError(x)
	meanY, squareY := meanError(y)
	difference, square := meanY-meanX, squareX+squareY
	switch {
	case square > 1e-18*difference*difference && square > 0:
		own := func(square float64, n int) float64 { return square * square / float64(max(1, n-1)) }
		return difference / math.Sqrt(square), square * square / (own(squareX, len(x)) + own(squareY, len(y)))
	case math.Abs(difference) < 1e-12:
		return 0, 1
	}
	return math.Copysign(math.Inf(1), difference), 1
}

// meanError is the mean and the square of its standard error.
func meanError(x []float64) (mean, square float64) {
	n := float64(len(x))
	for _, v := range x {
		mean += v / n
	}
	for _, v := range x {
		square += (v - mean) * (v - mean) / n / max(1, n-1)
	}
	return mean, square
}
