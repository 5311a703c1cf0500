package stats

import (
	"math"
	"slices"
)

// bets are the shares of the capital that the gamblers of EProcess stake.
var bets = [...]float64{-.9, -.75, -.6, -.45, -.3, -.15, .15, .3, .45, .6, .75, .9}

// EProcess is the evidence against "the signs of z are fair coins" after each
// value: E_n = mean over λ ∈ ±{.15, .3, .45, .6, .75, .9} of
// Π_i (1 + λ·sign(z_i)·g_i), where g_i in (0, 1) is the rank of |z_i| among
// the values up to i, over i+1 (a mean of test martingales; Ramdas et al.
// 2023). Under that hypothesis the probability that it ever reaches 1/α is at
// most α, so a study may go on for as long as it likes.
//
// A magnitude, once it has joined, must stay as it is: a spread that later
// blocks would steady has to be fixed when its block ends.
func EProcess(z []float64) []float64 {
	out := make([]float64, len(z))
	var capital [len(bets)]float64
	for i := range capital {
		capital[i] = 1
	}
	seen := make([]float64, 0, len(z)) // magnitudes so far, ascending
	for n, v := range z {
		a := math.Abs(v)
		lo, _ := slices.BinarySearch(seen, a)
		hi := lo
		for hi < len(seen) && seen[hi] == a {
			hi++
		}
		seen = slices.Insert(seen, lo, a)
		g := (float64(lo+hi)/2 + 1) / float64(n+2) // mid-rank among n+1 values
		if v < 0 {
			g = -g
		} else if v == 0 {
			g = 0
		}
		sum := 0.0
		for i, b := range bets {
			capital[i] *= 1 + b*g
			sum += capital[i]
		}
		out[n] = sum / float64(len(bets))
	}
	return out
}

// EInterval is the set of centres that the e-process of (center − θ)/spread
// has never rejected at level alpha: a confidence sequence, valid at every
// number of units, wider than a planned look. A nil spread gives all units
// the same weight. It is infinite on a side where nothing is rejected, and on
// both where even the weighted Hodges–Lehmann centre has been: then the units
// are not alike (what was faster became slower), and no centre stands for all.
func EInterval(center, spread []float64, alpha float64) (lo, hi float64) {
	middle := medianSorted(walshAverages(center, spread))
	z := make([]float64, len(center))
	rejected := func(theta float64) bool {
		for i, v := range center {
			z[i] = v - theta
			if spread != nil {
				z[i] /= spread[i]
			}
		}
		return slices.Max(EProcess(z)) >= 1/alpha
	}
	lo, hi = math.Inf(-1), math.Inf(1)
	if len(center) == 0 || rejected(middle) {
		return lo, hi
	}
	// Beyond the values all signs agree: what is not rejected there never is.
	least, greatest := slices.Min(center), slices.Max(center)
	reach := 1 + greatest - least
	edge := func(inside, outside float64) float64 {
		for range 60 {
			if m := inside/2 + outside/2; rejected(m) {
				outside = m
			} else {
				inside = m
			}
		}
		return outside
	}
	if rejected(least - reach) {
		lo = edge(middle, least-reach)
	}
	if rejected(greatest + reach) {
		hi = edge(middle, greatest+reach)
	}
	return lo, hi
}
