package stats

import (
	"math"
	"math/bits"
	"slices"
	"sync"
)

// RankSum is the outcome of a Mann–Whitney test of two independent samples.
type RankSum struct {
	// U counts the pairs (x, y) with x > y. A tie counts one half.
	U float64
	// P is the two-sided p-value: the probability of a U at least this far from
	// its mean, if all ways to deal the pooled values into two samples of these
	// sizes were equally likely. It is in (0, 1] and does not change if the
	// samples are swapped. It is NaN if a sample is empty or contains a NaN.
	P float64
	// Ties is true if a value occurs twice in the pooled samples.
	Ties bool
	// Exact is true if P comes from the exact distribution, not from the normal
	// approximation.
	Exact bool
}

// RankSums is exact up to these sizes. Beyond them the time per test would be
// noticeable in a table of thousands of rows, and the normal approximation is
// correct to the third decimal.
const (
	exactPairs     = 10_000 // n·m without ties
	exactPairsTied = 900    // n·m with ties
)

// RankSums tests pairs of samples and keeps the computed null distributions.
// The zero value is ready. It is not safe for concurrent use.
//
// Without ties the distribution of U is the distribution of Mann and Whitney
// (Ann. Math. Statist. 18, 1947). With ties it is the permutation distribution
// given the tied ranks, which is not symmetric if the sizes differ. Doubling
// one tail could then exceed 1, so both tails are summed.
type RankSums struct {
	tails   *tails
	arena   [2][]float64
	turned  [2][]float64
	running []float64
	groups  []int

	last     sizes // of lastTail
	lastTail []float64
}

type sizes struct{ n, m int }

type tails struct {
	mu sync.Mutex
	of map[sizes][]float64
}

// Share returns a RankSums for another goroutine. It shares the null
// distributions without ties, so that each is computed once.
func (r *RankSums) Share() *RankSums {
	if r.tails == nil {
		r.tails = new(tails)
	}
	return &RankSums{tails: r.tails}
}

// MannWhitney tests whether x and y could come from one distribution.
func MannWhitney(x, y []float64) RankSum { return new(RankSums).Test(x, y) }

// Test is MannWhitney with the receiver's memory. It does not modify x and y.
// Sorted samples are tested faster.
func (r *RankSums) Test(x, y []float64) RankSum {
	n, m := len(x), len(y)
	if n == 0 || m == 0 || hasNaN(x) || hasNaN(y) {
		return RankSum{U: math.NaN(), P: math.NaN()}
	}
	groups, twiceU := tieGroups(ascending(x), ascending(y), r.groups)
	r.groups = groups
	res := RankSum{U: float64(twiceU) / 2, Ties: len(groups) < n+m}
	deviation := twiceU - n*m // of 2U from its mean
	if deviation < 0 {
		deviation = -deviation
	}
	switch {
	case deviation == 0:
		res.P, res.Exact = 1, true
	case !res.Ties && n*m <= exactPairs:
		// U is an integer here, so deviation has the parity of n·m.
		tail := r.lowerTails(n, m)
		res.P, res.Exact = min(1, 2*tail[(n*m-deviation)/2]), true
	case res.Ties && n*m <= exactPairsTied:
		res.P, res.Exact = r.tied(groups, n, m, deviation), true
	default:
		res.P = approximateP(groups, n, m, float64(deviation)/2)
	}
	return res
}

func hasNaN(x []float64) bool { return slices.ContainsFunc(x, math.IsNaN) }

// ascending returns x sorted, and x itself if it is sorted already.
func ascending(x []float64) []float64 {
	if slices.IsSorted(x) {
		return x
	}
	x = slices.Clone(x)
	slices.Sort(x)
	return x
}

// tieGroups merges sorted samples into the sizes of their groups of equal
// values, in ascending order. It also returns twice the U of x. It overwrites
// the memory of groups.
func tieGroups(x, y []float64, groups []int) (_ []int, twiceU int) {
	groups = groups[:0]
	i, j := 0, 0
	for i < len(x) || j < len(y) {
		var v float64
		if j == len(y) || i < len(x) && x[i] <= y[j] {
			v = x[i]
		} else {
			v = y[j]
		}
		i0, j0 := i, j
		for i < len(x) && x[i] == v {
			i++
		}
		for j < len(y) && y[j] == v {
			j++
		}
		twiceU += (i - i0) * (2*j0 + (j - j0))
		groups = append(groups, i-i0+j-j0)
	}
	return groups, twiceU
}

// lowerTails returns P(U ≤ u) for u = 0 … n·m/2, without ties. The caller must
// not write to the slice.
func (r *RankSums) lowerTails(n, m int) []float64 {
	if n > m {
		n, m = m, n // the distribution is the same
	}
	if r.last == (sizes{n, m}) {
		return r.lastTail
	}
	if r.tails == nil {
		r.tails = new(tails)
	}
	r.tails.mu.Lock()
	defer r.tails.mu.Unlock()
	tail := r.tails.of[sizes{n, m}]
	if tail == nil {
		tail = countedTails(n, m)
		if r.tails.of == nil {
			r.tails.of = make(map[sizes][]float64)
		}
		r.tails.of[sizes{n, m}] = tail
	}
	r.last, r.lastTail = sizes{n, m}, tail
	return tail
}

// countedTails counts the arrangements of n xs and m ys with each U up to
// n·m/2. The counts are the coefficients of ∏ (1 − q^(m+i))/(1 − q^i), i = 1 …
// n. The product uses integers modulo 2¹⁹², since intermediate coefficients
// may be negative. The largest coefficient that [exactPairs] allows has 186
// bits. The counts are added up as positive floats, so that the far tail keeps
// its digits.
func countedTails(n, m int) []float64 {
	counts := make([]uint192, n*m/2+1)
	counts[0][0] = 1
	for i := 1; i <= n; i++ {
		top := min(len(counts), i*m+1) // the degree of the product so far
		for u := top - 1; u >= m+i; u-- {
			counts[u].subtract(&counts[u-m-i])
		}
		for u := i; u < top; u++ {
			counts[u].add(&counts[u-i])
		}
	}
	tail := make([]float64, len(counts))
	all, sum := choose(n+m, n), 0.0
	for u := range counts {
		sum += counts[u].float()
		tail[u] = sum / all
	}
	return tail
}

// uint192 is an unsigned integer, its low word first.
type uint192 [3]uint64

func (a *uint192) add(b *uint192) {
	var carry uint64
	a[0], carry = bits.Add64(a[0], b[0], 0)
	a[1], carry = bits.Add64(a[1], b[1], carry)
	a[2], _ = bits.Add64(a[2], b[2], carry)
}

func (a *uint192) subtract(b *uint192) {
	var borrow uint64
	a[0], borrow = bits.Sub64(a[0], b[0], 0)
	a[1], borrow = bits.Sub64(a[1], b[1], borrow)
	a[2], _ = bits.Sub64(a[2], b[2], borrow)
}

func (a *uint192) float() float64 {
	return math.Ldexp(float64(a[2]), 128) + math.Ldexp(float64(a[1]), 64) + float64(a[0])
}

// tied returns P(|2U − n·m| ≥ deviation) over all ways of dealing the groups.
// It splits the groups into a lower and an upper half, whose distributions are
// small, and combines the two.
func (r *RankSums) tied(groups []int, n, m, deviation int) float64 {
	total, half, cut := n+m, 0, 0
	for cut < len(groups) && half+groups[cut]/2 < total/2 {
		half += groups[cut]
		cut++
	}
	rest := total - half
	lower, upper := r.deal(groups[:cut], half, 0), r.deal(groups[cut:], rest, 1)
	least, most := n*m-deviation, n*m+deviation
	count := 0.0
	for k := max(0, n-rest); k <= min(n, half); k++ {
		low, high := r.dealt(lower, k, half, 0), r.dealt(upper, n-k, rest, 1)
		running := append(r.running[:0], 0) // running[i]: ways with 2U < i
		sum := 0.0
		for _, ways := range low {
			sum += ways
			running = append(running, sum)
		}
		r.running = running
		across := 2 * (n - k) * (half - k) // upper xs beat the lower ys
		for h, ways := range high {
			if i := least - across - h + 1; i > 0 {
				count += ways * running[min(i, len(low))]
			}
			if i := most - across - h; i <= 0 {
				count += ways * sum
			} else if i < len(low) {
				count += ways * (sum - running[i])
			}
		}
	}
	return min(1, count/choose(total, n))
}

// deal returns, for every number k ≤ size/2 of xs among the size values of
// groups, the number of ways to deal them by twice their U among themselves.
// Part is 0 or 1, since two results exist at a time.
func (r *RankSums) deal(groups []int, size, part int) [][]float64 {
	f := make([][]float64, size/2+1)
	need := 0
	for k := range f {
		need += 2*k*(size-k) + 1
	}
	if len(r.arena[part]) < need {
		r.arena[part] = make([]float64, 2*need)
	}
	space := r.arena[part][:need]
	clear(space)
	for k := range f {
		w := 2*k*(size-k) + 1
		f[k], space = space[:w:w], space[w:]
	}
	f[0][0] = 1
	seen := 0
	for _, t := range groups {
		// A target k needs only smaller ones, so a descending loop works in
		// place.
		for k := min(len(f)-1, seen+t); k > 0; k-- {
			for a := max(1, k-seen); a <= min(t, k); a++ {
				before := seen - (k - a) // ys below this group
				used := f[k-a][:2*(k-a)*before+1]
				to := f[k][2*a*before+a*(t-a):][:len(used)]
				if t == 1 {
					for i, v := range used {
						to[i] += v
					}
					continue
				}
				ways := choose(t, a)
				for i, v := range used {
					to[i] += ways * v
				}
			}
		}
		seen += t
	}
	return f
}

// dealt is the distribution for k xs among size values. If k is more than
// half, x and y are exchanged, which reverses U.
func (r *RankSums) dealt(f [][]float64, k, size, part int) []float64 {
	if k < len(f) {
		return f[k]
	}
	r.turned[part] = append(r.turned[part][:0], f[size-k]...)
	slices.Reverse(r.turned[part])
	return r.turned[part]
}

// approximateP is the normal approximation with corrections for ties and
// continuity (Lehmann, Nonparametrics, 1975, §1.4). d is |U − n·m/2|.
func approximateP(groups []int, n, m int, d float64) float64 {
	total := float64(n + m)
	ties := 0.0
	for _, t := range groups {
		t := float64(t)
		ties += t*t*t - t
	}
	variance := float64(n) * float64(m) / 12 * (total + 1 - ties/(total*(total-1)))
	z := max(0, d-0.5) / math.Sqrt(variance)
	return min(1, math.Erfc(z/math.Sqrt2))
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

func choose(n, k int) float64 {
	c := 1.0
	for i := 1; i <= k; i++ {
		c = c * float64(n-k+i) / float64(i)
	}
	return c
}
