package benchtab

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

const (
	// permutations are drawn where there are more than that many.
	permutations = 20_000
	// unevenSpread is the ratio of the median absolute deviations above which
	// the spreads of two samples of one size differ.
	unevenSpread = 2
)

// uneven reports whether sizes or spreads of two samples differ, so that the
// Mann–Whitney test may call them different for that alone.
func uneven(x, y []float64) bool {
	a, b := stats.MAD(x), stats.MAD(y)
	return len(x) != len(y) || a > unevenSpread*b || b > unevenSpread*a
}

// studentized is the two-sided p-value of a permutation test whose statistic
// allows for spreads that differ: the larger of those of Brunner and Munzel's
// rank statistic (Neubert and Brunner 2007) and of Welch's t (Janssen 1997).
// Each is exact where both samples come from one distribution, and keeps its
// level for large samples where only their centers agree; with 5 runs against 20
// of a quarter of their spread the larger is the better by a point.
//
// Beyond 20,000 permutations as many are drawn, always the same ones.
func studentized(x, y []float64) float64 {
	t := pool(x, y)
	statistics := []func([]bool) float64{t.brunnerMunzel, t.welch}
	var reach [2]float64
	for i, f := range statistics {
		reach[i] = math.Abs(f(t.second)) * (1 - 1e-9)
	}
	var atLeast [2]int
	all := 0
	count := func(second []bool) {
		all++
		for i, f := range statistics {
			if math.Abs(f(second)) >= reach[i] {
				atLeast[i]++
			}
		}
	}
	if binomialWithin(len(t.second), len(y), permutations) {
		choose(make([]bool, len(t.second)), 0, len(y), count)
	} else {
		count(t.second)
		random := rand.New(rand.NewPCG(uint64(len(x)), uint64(len(y))))
		second := slices.Clone(t.second)
		for range permutations {
			random.Shuffle(len(second), func(i, j int) { second[i], second[j] = second[j], second[i] })
			count(second)
		}
	}
	return float64(max(atLeast[0], atLeast[1])) / float64(all)
}

// pooled are two samples in ascending order together.
type pooled struct {
	values []float64 // less their mean
	ranks  []float64 // mid-ranks
	second []bool    // of the second sample
}

func pool(x, y []float64) pooled {
	type value struct {
		v      float64
		second bool
	}
	var all []value
	for _, v := range x {
		all = append(all, value{v, false})
	}
	for _, v := range y {
		all = append(all, value{v, true})
	}
	slices.SortStableFunc(all, func(a, b value) int {
		switch {
		case a.v < b.v:
			return -1
		case a.v > b.v:
			return 1
		}
		return 0
	})
	t := pooled{values: make([]float64, len(all)), ranks: make([]float64, len(all)), second: make([]bool, len(all))}
	center := 0.0
	for _, a := range all {
		center += a.v / float64(len(all))
	}
	for i, a := range all {
		t.values[i] = a.v - center
	}
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j].v == all[i].v {
			t.second[j] = all[j].second
			j++
		}
		for k := i; k < j; k++ {
			t.ranks[k] = float64(i+1+j) / 2
		}
		i = j
	}
	return t
}

// brunnerMunzel is (R̄₂ − R̄₁)/√(V₁ + V₂), infinite where the samples are apart: R̄
// are the mean ranks, V the variances of rank less rank within the sample,
// over the squared size of the other one, per value.
func (t pooled) brunnerMunzel(second []bool) float64 {
	var n [2]float64
	var sum, squares [2]float64
	of := func(i int) int {
		if second[i] {
			return 1
		}
		return 0
	}
	var mean [2]float64
	for i, r := range t.ranks {
		n[of(i)]++
		mean[of(i)] += r
	}
	mean[0] /= n[0]
	mean[1] /= n[1]
	var seen [2]float64
	for i := 0; i < len(t.ranks); {
		j := i
		var tied [2]float64
		for j < len(t.ranks) && t.ranks[j] == t.ranks[i] {
			tied[of(j)]++
			j++
		}
		for g, k := range tied {
			if k > 0 {
				placement := t.ranks[i] - (seen[g] + (k+1)/2) // values of the other sample below
				sum[g] += k * placement
				squares[g] += k * placement * placement
			}
			seen[g] += k
		}
		i = j
	}
	variance := 0.0
	for g := range n {
		if n[g] > 1 {
			v := max(0, squares[g]-sum[g]*sum[g]/n[g]) / (n[g] - 1)
			other := n[1-g]
			variance += v / (other * other) / n[g]
		}
	}
	return quotient(mean[1]-mean[0], variance) / (n[0] + n[1])
}

// welch is the difference of the means over its standard error.
func (t pooled) welch(second []bool) float64 {
	var n, sum, squares [2]float64
	for i, v := range t.values {
		g := 0
		if second[i] {
			g = 1
		}
		n[g]++
		sum[g] += v
		squares[g] += v * v
	}
	variance := 0.0
	for g := range n {
		if n[g] > 1 {
			variance += max(0, squares[g]-sum[g]*sum[g]/n[g]) / (n[g] - 1) / n[g]
		}
	}
	return quotient(sum[1]/n[1]-sum[0]/n[0], variance)
}

// quotient is difference/√variance, infinite where nothing varies.
func quotient(difference, variance float64) float64 {
	if variance < 1e-18*(1+difference*difference) {
		if math.Abs(difference) < 1e-12 {
			return 0
		}
		return math.Copysign(math.Inf(1), difference)
	}
	return difference / math.Sqrt(variance)
}

// binomialWithin reports whether there are at most limit ways to choose k of n.
func binomialWithin(n, k, limit int) bool {
	ways := 1.0
	for i := range min(k, n-k) {
		ways *= float64(n-i) / float64(i+1)
		if ways > float64(limit) {
			return false
		}
	}
	return true
}

// choose calls visit with every choice of k of the places from at on.
func choose(chosen []bool, at, k int, visit func([]bool)) {
	if k == 0 {
		visit(chosen)
		return
	}
	if len(chosen)-at < k {
		return
	}
	chosen[at] = true
	choose(chosen, at+1, k-1, visit)
	chosen[at] = false
	choose(chosen, at+1, k, visit)
}
