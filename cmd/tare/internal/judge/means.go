package judge

import (
	"math"
	"math/rand/v2"
	"slices"
)

// beyond is the interval for the mean of a number per block, and whether it is
// completely outside ±limit. Every alarm about a measurement needs this. limit
// is the largest mean that does not matter, and alpha is divided among the
// kinds of alarms.
func beyond(blocks []float64, limit, alpha float64) (lo, hi float64, ok bool) {
	lo, hi = meanBounds(blocks, assumptionAlpha(alpha))
	return lo, hi, lo > limit || hi < -limit
}

// subsets is the most subsets whose means bound a mean: all of 12 values.
const subsets = 1<<12 - 1

// meanBounds is the interval for the mean of x by two one-sided sign-flip tests
// of the sum at alpha each. It consists of quantiles of the means of subsets
// (Hartigan 1969, "Using subsample values as typical values"). A rank test
// would miss an effect in fewer than three in ten values. The bounds are NaN
// with too few values.
func meanBounds(x []float64, alpha float64) (lo, hi float64) {
	n := len(x)
	random := rand.New(rand.NewPCG(uint64(n), 0x6d65616e73))
	count := subsets
	if n <= 12 {
		count = 1<<n - 1
	}
	means := make([]float64, 0, count)
	for i := range count {
		pick := uint64(i + 1)
		sum, size := 0.0, 0
		for k, v := range x {
			if n > 12 && k%64 == 0 {
				pick = random.Uint64()
			}
			if pick>>(k%64)&1 == 1 {
				sum, size = sum+v, size+1
			}
		}
		if size > 0 {
			means = append(means, sum/float64(size))
		}
	}
	k := int(alpha * float64(len(means)+1))
	if k == 0 {
		return math.NaN(), math.NaN()
	}
	slices.Sort(means)
	return means[k-1], means[len(means)-k]
}
