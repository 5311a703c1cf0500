package judge

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// subsets is the most subsets whose means bound a mean: all of 12 values.
const subsets = 1<<12 - 1

// meanBounds is the interval for the mean of x by two one-sided sign-flip tests
// of the sum at alpha each. It consists of quantiles of the means of subsets
// (Hartigan 1969, "Using subsample values as typical values"). A rank test
// would miss an effect in fewer than three in ten values. The bounds are NaN
// with too few values.
func meanBounds(x []float64, alpha float64) (lo, hi float64) {
	means := subsetMeans(x)
	k := int(alpha * float64(len(means)+1))
	if k == 0 {
		return math.NaN(), math.NaN()
	}
	return smallest(means, k-1), smallest(means, len(means)-k)
}

// smallest is the value at index k in ascending order (Hoare 1961, "Algorithm 65:
// find"). It reorders x.
func smallest(x []float64, k int) float64 {
	for lo, hi := 0, len(x)-1; lo < hi; {
		pivot, i, j := x[(lo+hi)/2], lo, hi
		for i <= j {
			for x[i] < pivot {
				i++
			}
			for x[j] > pivot {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return x[k]
		}
	}
	return x[k]
}

// subsetMeans are the means of subsets of x: of all, or of a random choice.
func subsetMeans(x []float64) []float64 {
	n := len(x)
	random := rand.New(rand.NewPCG(uint64(n), 0x6d65616e73))
	count := min(1<<min(n, 12)-1, subsets)
	means := make([]float64, 0, count)
	sums := eighths(x)
	for i := range count {
		pick := uint64(i + 1)
		sum, size := 0.0, 0
		for k, part := range sums {
			if n > 12 && k%8 == 0 {
				pick = random.Uint64()
			}
			these := pick & uint64(len(part)-1)
			sum, size, pick = sum+part[these], size+bits.OnesCount64(these), pick>>8
		}
		if size > 0 {
			means = append(means, sum/float64(size))
		}
	}
	return means
}

// eighths are, for eight values at a time, the sums of all subsets, by the bits of
// the index.
func eighths(x []float64) (sums [][]float64) {
	for part := range slices.Chunk(x, 8) {
		all := make([]float64, 1, 256)
		for _, v := range part {
			for _, sum := range all {
				all = append(all, sum+v)
			}
		}
		sums = append(sums, all)
	}
	return sums
}
