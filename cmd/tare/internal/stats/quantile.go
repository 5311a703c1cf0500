package stats

import (
	"math"
	"sort"
)

// Median is the middle value of x, or the mean of the two middle ones. It is
// NaN for an empty x.
func Median(x []float64) float64 { return medianSorted(ascending(x)) }

func medianSorted(s []float64) float64 {
	n := len(s)
	if n == 0 {
		return math.NaN()
	}
	if n%2 == 1 {
		return s[n/2]
	}
	// Halve first, since the sum of two large values may overflow.
	return s[n/2-1]/2 + s[n/2]/2
}

// Deviation is the standard deviation of a normal sample by its [MAD].
func Deviation(x []float64) float64 { return 1.4826 * MAD(x) }

// Quartiles are the quantiles that tables and plots show, by name.
func Quartiles(x []float64) map[string]float64 {
	all := make(map[string]float64)
	for name, p := range map[string]float64{"min": 0, "p25": .25, "p50": .5, "p75": .75, "p90": .9, "max": 1} {
		all[name] = Quantile(x, p)
	}
	return all
}

// Spread is half the middle half of a sample, relative to a center.
func Spread(x []float64, center float64) float64 {
	return (Quantile(x, .75) - Quantile(x, .25)) / 2 / math.Abs(center)
}

// MAD is the median absolute deviation of x from its median, unscaled. For a
// normal sample it is about 0.6745 standard deviations. It is NaN for an empty
// x.
func MAD(x []float64) float64 {
	s := ascending(x)
	center := medianSorted(s)
	// The deviations increase from the middle to both ends, so the smallest of
	// them are in a window.
	n := len(s)
	lo := sort.SearchFloat64s(s, center)
	hi := lo // s[lo:hi] is the window
	last, before := math.NaN(), math.NaN()
	for range n/2 + 1 {
		before = last
		switch below, above := lo > 0, hi < n; {
		case below && (!above || center-s[lo-1] <= s[hi]-center):
			lo--
			last = math.Abs(s[lo] - center)
		case above:
			last = math.Abs(s[hi] - center)
			hi++
		}
	}
	if n%2 == 1 {
		return last
	}
	return before/2 + last/2
}

// Quantile is the p-quantile of x, 0 ≤ p ≤ 1. It is the value at position
// p·(n−1) of the sorted sample x[0] … x[n-1], linear between neighbors
// (definition 7 of Hyndman and Fan 1996, the default of R and NumPy).
// Quantile(x, 0) is therefore the least value, Quantile(x, 1) the greatest and
// Quantile(x, 0.5) the median. It is NaN for an empty x or a p outside [0, 1].
func Quantile(x []float64, p float64) float64 {
	s := ascending(x)
	n := len(s)
	if n == 0 || !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	position := p * float64(n-1)
	i := int(position)
	if i >= n-1 {
		return s[n-1]
	}
	f := position - float64(i)
	if f == 0 {
		return s[i] // an infinite neighbor would give NaN
	}
	return s[i]*(1-f) + s[i+1]*f
}

// ShareBounds is the 95% interval of a share after k in n were seen (Wilson 1927).
func ShareBounds(k, n int) (lo, hi float64) {
	const z = 1.96
	p, size := float64(k)/float64(n), float64(n)
	center := (p + z*z/(2*size)) / (1 + z*z/size)
	half := z / (1 + z*z/size) * math.Sqrt(p*(1-p)/size+z*z/(4*size*size))
	return max(0, center-half), min(1, center+half)
}

// UpperShare is the 95% upper bound of a share after k in n were seen
// (one-sided; Clopper and Pearson 1934). It is 1 if n is 0.
func UpperShare(k, n int) float64 {
	if k >= n {
		return 1
	}
	lo, hi := float64(k)/float64(n), 1.0
	for range 60 {
		if p := (lo + hi) / 2; 1-AtLeast(k+1, n, p) > 0.05 {
			lo = p
		} else {
			hi = p
		}
	}
	return hi
}

// AtLeast is the probability of at least k successes in n trials of probability
// p.
func AtLeast(k, n int, p float64) float64 {
	below, term := 0.0, math.Pow(1-p, float64(n))
	for i := range k {
		below += term
		term *= float64(n-i) / float64(i+1) * p / (1 - p)
	}
	return max(0, 1-below)
}
