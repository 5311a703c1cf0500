package histogram

import (
	"fmt"
	"math"
	"strconv"
)

// Quantile is the value that a share Q of all values does not exceed, with its
// interval.
type Quantile struct {
	Q float64
	// Value is the ⌈Q·n⌉-th smallest of n values (Hyndman and Fan 1996,
	// definition 1). It is the middle of its bucket, but never outside minimum
	// and maximum. It is NaN if n is too small for Q: see Needs.
	Value float64
	// Lo and Hi are the order statistics that contain the true quantile in at
	// least 95 of 100 cases, for every distribution (exact binomial ranks). NaN
	// is an end that n values do not reach.
	Lo, Hi float64
	// N is the number of values behind the result.
	N int64
	// Needs is 0 if N is enough. Otherwise it is the number of values that
	// would be enough: 1,000 for p99.9, so that one of them can exceed it.
	Needs int64
	// Tail is true if the value is outside the range of the histogram. Only Lo
	// and Hi are then known.
	Tail bool
}

// Name is "p50" for the median, "p99.9" for 0.999.
func (q Quantile) Name() string {
	return "p" + strconv.FormatFloat(math.Round(q.Q*1e8)/1e6, 'f', -1, 64)
}

// String returns the value with its interval, or the number of values that it
// needs.
func (q Quantile) String() string {
	if q.Needs > 0 {
		return fmt.Sprintf("%s needs %s values, there are %s", q.Name(), grouped(q.Needs), grouped(q.N))
	}
	return fmt.Sprintf("%s %.4g (%s to %s)", q.Name(), q.Value, end(q.Lo), end(q.Hi))
}

func end(v float64) string {
	if math.IsNaN(v) {
		return "?"
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// Quantile returns the value at a share q from 0 (the minimum) to 1 (the
// maximum). For any other q, Value is NaN.
func (h *Histogram) Quantile(q float64) Quantile {
	n := h.Count()
	nan := math.NaN()
	a := Quantile{Q: q, Value: nan, Lo: nan, Hi: nan, N: n}
	if !(q >= 0 && q <= 1) {
		return a
	}
	if least := needs(q); n < least {
		a.Needs = least
		return a
	}
	// An extreme of the values so far does not bound future values.
	switch q {
	case 0:
		a.Value, a.Hi = float64(h.min), float64(h.min)
		return a
	case 1:
		a.Value, a.Lo = float64(h.max), float64(h.max)
		return a
	}
	rank := int64(math.Ceil(q*float64(n) - 1e-9*q*float64(n)))
	rank = min(max(rank, 1), n)
	b := h.at(rank)
	a.Value, a.Tail = float64(b.lo)+float64(b.hi-b.lo)/2, b.tail // the middle
	lo, hi := interval(n, q)
	if lo >= 1 {
		a.Lo = float64(h.at(lo).lo)
	}
	if hi <= n {
		a.Hi = float64(h.at(hi).hi)
	}
	return a
}

// needs is the least n that puts an expected value on the rarer side of q.
func needs(q float64) int64 {
	rare := min(q, 1-q)
	if rare == 0 {
		return 1
	}
	// 1-0.999 is slightly below 0.001, which must not require a 1001st value.
	n := math.Ceil(1/rare - 1e-6/rare)
	if n >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(n)
}

// at returns the bucket of the rank-th smallest value, from 1. It counts from
// the nearer end.
func (h *Histogram) at(rank int64) bucket {
	below, above := int64(h.tails.below), int64(h.tails.above)
	total := h.Count()
	first, last := h.bounds()
	switch {
	case rank <= below:
		return bucket{h.min, min(h.max, -1), below, true}
	case rank > total-above:
		_, end := h.edges(len(h.counts) - 1)
		return bucket{max(h.min, end+1), h.max, above, true}
	}
	i := first
	if rank > total/2 {
		i = last
		for beyond := above; i > first; i-- {
			if beyond += int64(h.counts[i]); rank > total-beyond {
				break
			}
		}
	} else {
		for seen := below; i < last; i++ {
			if seen += int64(h.counts[i]); rank <= seen {
				break
			}
		}
	}
	lo, hi := h.edges(i)
	return bucket{max(lo, h.min), min(hi, h.max), int64(h.counts[i]), false}
}

// interval returns the ranks of a 95% interval for quantile q of n values. lo
// is the highest rank with P(B < lo) ≤ 0.025 and hi the lowest with P(B ≥ hi) ≤
// 0.025. B ~ Bin(n, q) counts values up to the quantile (David and Nagaraja,
// Order Statistics, 7.1). 0 and n+1 mean no bound.
func interval(n int64, q float64) (lo, hi int64) {
	if sd := math.Sqrt(float64(n) * q * (1 - q)); sd > 12 {
		return expandedInterval(n, q)
	}
	return exactInterval(n, q)
}

// expandedInterval uses the expansion of Cornish and Fisher to the skewness
// (Johnson, Kemp and Kotz, Univariate Discrete Distributions, 3.6). It is one
// rank wider at each end, so that it is never too narrow. If the standard
// deviation is above 12, it is at most two ranks too wide.
func expandedInterval(n int64, q float64) (lo, hi int64) {
	const z = 1.959963984540054
	mean, sd := float64(n)*q, math.Sqrt(float64(n)*q*(1-q))
	skew := (1 - 2*q) * (z*z - 1) / 6
	lo = int64(math.Floor(mean - z*sd + skew - 0.5))
	hi = int64(math.Ceil(mean+z*sd+skew+0.5)) + 1
	return max(0, lo), min(n+1, hi)
}

// exactInterval adds up the significant terms of the binomial distribution,
// relative to the term at the mean.
func exactInterval(n int64, q float64) (lo, hi int64) {
	const tail = 0.025
	mean, sd := float64(n)*q, math.Sqrt(float64(n)*q*(1-q))
	first := int64(max(0, math.Floor(mean-9*sd-9)))
	middle := int64(mean)
	last := int64(min(float64(n), math.Ceil(mean+9*sd+9)))
	odds := q / (1 - q)
	terms := make([]float64, last-first+1)
	terms[middle-first] = 1
	sum := 1.0
	for k := middle; k < last; k++ {
		terms[k+1-first] = terms[k-first] * float64(n-k) / float64(k+1) * odds
		sum += terms[k+1-first]
	}
	for k := middle; k > first; k-- {
		terms[k-1-first] = terms[k-first] * float64(k) / float64(n-k+1) / odds
		sum += terms[k-1-first]
	}
	below := 0.0 // P(B < k)
	for k := first; k <= last; k++ {
		if below <= tail {
			lo = k
		}
		below += terms[k-first] / sum
		if below >= 1-tail {
			return lo, k + 1
		}
	}
	return lo, n + 1
}

// grouped writes 1234567 as 1,234,567.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
