package stats

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
)

// Look is what a look sees: one centre and one spread per unit, in the order
// in which the units came. A nil Spread gives all units the same weight.
//
// A unit keeps its place from look to look. Its values may change: the spread
// is steadied by all units seen so far, and a unit that is the mean of several
// blocks (a link layout used again) moves as blocks join it.
type Look struct {
	Center []float64
	Spread []float64
}

// Decision is what a look comes to.
type Decision struct {
	// Center is the weighted Hodges–Lehmann centre of the units.
	Center float64
	// Lo and Hi are the repeated interval: over all looks together it misses
	// the truth with probability at most the design's Alpha. They are
	// infinite where the look could not decide anything.
	Lo, Hi float64
	// Critical is the largest min(W⁺, W⁻) that this look calls significant;
	// -1 when it calls nothing significant.
	Critical float64
	// Units counts the units of the look.
	Units int
}

// Excludes tells whether the interval lies on one side of v.
func (d Decision) Excludes(v float64) bool { return d.Lo > v || d.Hi < v }

// vectors is the number of sign vectors of the conditional Monte Carlo. The
// first 11 signs of the vectors run through all 2¹¹ patterns equally often,
// so that the looks at 8 and 11 units are exact and the later ones less noisy.
const vectors = 10 << 11

// Decide judges looks 1 … k of the design, one decision each: what the look
// said when it was taken, so that the last is the decision of today. The same
// looks and seed give the same decisions.
//
// Under "the label does not matter" the signs of the centres are fair coins,
// given their magnitudes and spreads. Decide draws 20,480 sign vectors, ranks
// the magnitudes as each look saw them, drops the vectors that an earlier
// look stopped, and takes as critical value of the look the largest one whose
// cumulative share of stopped vectors stays within Spend. The critical value
// also gives the interval, so the two never disagree.
func (d Design) Decide(seed uint64, looks ...Look) ([]Decision, error) {
	if err := d.check(looks); err != nil {
		return nil, fmt.Errorf("decide: %w", err)
	}
	s := newSigns(seed, len(looks[len(looks)-1].Center))
	decisions := make([]Decision, len(looks))
	for k, c := range s.critical(d, looks) {
		l := looks[k]
		averages := walshAverages(l.Center, l.Spread)
		out := Decision{Center: medianSorted(averages), Lo: math.Inf(-1), Hi: math.Inf(1), Critical: -1, Units: len(l.Center)}
		if c >= 0 {
			out.Critical = float64(c) / 2
			out.Lo, out.Hi = bounds(averages, out.Critical)
		}
		decisions[k] = out
	}
	return decisions, nil
}

// Bounds is the interval that a decision with this critical value gives: the
// values that, as the centre, would leave both signed-rank sums above it. It
// is unbounded below 0 and where it would be empty.
func (l Look) Bounds(critical float64) (lo, hi float64) {
	return bounds(walshAverages(l.Center, l.Spread), critical)
}

func bounds(averages []float64, critical float64) (lo, hi float64) {
	i := int(critical)
	if critical < 0 || 2*i >= len(averages) {
		return math.Inf(-1), math.Inf(1)
	}
	return averages[i], averages[len(averages)-1-i]
}

// P is the two-sided p-value of the last of looks, valid whatever look the
// study stopped at: F(min over looks j ≤ k of p_j·√(N/n_j)). There p_j is the
// exact signed-rank p-value of look j, and F the null distribution of that
// minimum over all looks of the design, by the sign vectors of [Design.Decide];
// ranks of looks to come are drawn from the seed.
//
// P ≤ Alpha where Decide's interval leaves 0 out, but for the grain of the
// critical values: there the interval is right.
func (d Design) P(seed uint64, looks ...Look) (float64, error) {
	if err := d.check(looks); err != nil {
		return math.NaN(), fmt.Errorf("p-value: %w", err)
	}
	return newSigns(seed, maxUnits(d, looks)).p(d, looks, seed), nil
}

func (d Design) check(looks []Look) error {
	if len(looks) == 0 || len(looks) > len(d.Looks) {
		return fmt.Errorf("%d looks of a design with %d", len(looks), len(d.Looks))
	}
	for j, l := range looks {
		if err := l.check(); err != nil {
			return fmt.Errorf("look %d: %w", j+1, err)
		}
		if len(l.Center) > d.Looks[j] {
			return fmt.Errorf("look %d has %d units, and %d were planned", j+1, len(l.Center), d.Looks[j])
		}
		if j > 0 && len(l.Center) < len(looks[j-1].Center) {
			return fmt.Errorf("look %d has fewer units than look %d", j+1, j)
		}
	}
	return nil
}

func (l Look) check() error {
	if len(l.Center) == 0 {
		return fmt.Errorf("no units")
	}
	if l.Spread != nil && len(l.Spread) != len(l.Center) {
		return fmt.Errorf("%d spreads for %d centres", len(l.Spread), len(l.Center))
	}
	for i, v := range l.Center {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("centre %d is %v", i, v)
		}
	}
	for i, v := range l.Spread {
		if !(v > 0) || math.IsInf(v, 0) {
			return fmt.Errorf("spread %d is %v: it must be above 0", i, v)
		}
	}
	return nil
}

// Standard are the centres in units of their spreads: what is ranked.
func (l Look) Standard() []float64 {
	z := make([]float64, len(l.Center))
	for i, v := range l.Center {
		z[i] = v
		if l.Spread != nil {
			z[i] /= l.Spread[i]
		}
	}
	return z
}

// maxUnits is the number of units at the end of the design: its blocks, or
// the units of the last look when units have stopped growing with blocks.
func maxUnits(d Design, looks []Look) int {
	k := len(looks)
	if n := len(looks[k-1].Center); n < d.Looks[k-1] {
		return n
	}
	return d.N
}

// signs are the sign vectors: bit i of words[u][v] says whether vector v flips
// unit 64u+i.
type signs struct {
	words [][]uint64
	sums  []int32 // of the last call of fill, one per vector
}

func newSigns(seed uint64, units int) *signs {
	s := &signs{words: make([][]uint64, (units+63)/64), sums: make([]int32, vectors)}
	random := rand.New(rand.NewPCG(seed, 0x7461726573696e67))
	for u := range s.words {
		s.words[u] = make([]uint64, vectors)
		for v := range s.words[u] {
			s.words[u][v] = random.Uint64()
		}
	}
	for v, w := range s.words[0] {
		s.words[0][v] = w&^0x7ff | uint64(v)&0x7ff
	}
	return s
}

// fill computes for every vector min(W⁺, W⁻) in doubled ranks, when the
// vector flips the signs of z.
func (s *signs) fill(ranks []int32, z []float64) []int32 {
	total := int32(0)
	for _, r := range ranks {
		total += r
	}
	// A zero that has a rank takes the sign of the first value that has one,
	// so that exchanging old and new exchanges W⁺ and W⁻ in every vector.
	zero, _ := leading(z)
	clear(s.sums)
	for u, words := range s.words {
		first := 64 * u
		if first >= len(ranks) {
			break
		}
		// W⁺ of the units of a byte, by the flips in it: flipping the lowest
		// flipped unit of the rest moves its rank to or from W⁺. Tables of
		// bytes without units stay zero.
		var tables [8][256]int32
		used := 0
		for ; first < min(64*(u+1), len(ranks)); first += 8 {
			table := &tables[used]
			used++
			var moved [8]int32
			for i, r := range ranks[first:min(first+8, len(ranks))] {
				if z[first+i] > 0 || z[first+i] == 0 && zero {
					table[0] += r
					r = -r
				}
				moved[i] = r
			}
			for flips := 1; flips < 256; flips++ {
				table[flips] = table[flips&(flips-1)] + moved[bits.TrailingZeros8(uint8(flips))]
			}
		}
		for t := 0; t < used; t += 4 {
			a, b, c, d := &tables[t], &tables[t+1], &tables[t+2], &tables[t+3]
			for v, w := range words {
				w >>= 8 * t
				s.sums[v] += a[uint8(w)] + b[uint8(w>>8)] + c[uint8(w>>16)] + d[uint8(w>>24)]
			}
		}
	}
	for v, w := range s.sums {
		s.sums[v] = min(w, total-w)
	}
	return s.sums
}

// critical runs the vectors through the looks and returns the critical values
// in doubled ranks, -1 where a look may stop nothing.
//
// Here zeros keep their rank and flip like the rest: the interval asks about
// centres other than 0, and there a zero has a sign.
func (s *signs) critical(d Design, looks []Look) []int32 {
	out := make([]int32, len(looks))
	stopped := make([]bool, vectors)
	spent := 0
	for j, l := range looks {
		z := l.Standard()
		sums := s.fill(doubledRanks(z), z)
		n := len(z)
		fresh := make([]int, n*(n+1)/2+1)
		occurs := make([]bool, len(fresh))
		for v, w := range sums {
			occurs[w] = true
			if !stopped[v] {
				fresh[w]++
			}
		}
		allowed := int(math.Floor(d.Spend[j]*vectors + 1e-9))
		c := int32(-1)
		for w, k := range fresh {
			if spent+k > allowed {
				break
			}
			spent += k
			// A value that occurs, not the gap behind it; one that only
			// vectors stopped earlier have costs nothing.
			if occurs[w] {
				c = int32(w)
			}
		}
		for v, w := range sums {
			stopped[v] = stopped[v] || w <= c
		}
		out[j] = c
	}
	return out
}

// p is the p-value of the last look.
func (s *signs) p(d Design, looks []Look, seed uint64) float64 {
	random := rand.New(rand.NewPCG(seed, 0x7461726572616e6b))
	observed := math.Inf(1)
	tables := make([][]float64, len(d.Looks)) // p_j·√(N/n_j) by min(W⁺, W⁻)
	least := make([]float64, vectors)
	for v := range least {
		least[v] = math.Inf(1)
	}
	var z []float64
	for j, n := range d.Looks {
		if j < len(looks) {
			z = looks[j].Standard()
		} else {
			z = extend(z, min(n, maxUnits(d, looks)), random)
		}
		ranks := prattRanks(z)
		tables[j] = twoSided(ranks)
		scale := math.Sqrt(float64(d.N) / float64(n))
		for w := range tables[j] {
			tables[j][w] *= scale
		}
		if j < len(looks) {
			observed = min(observed, tables[j][minSum(ranks, z)])
		}
		for v, w := range s.fill(ranks, z) {
			least[v] = min(least[v], tables[j][w])
		}
	}
	// Sums of the same ranks in another order differ in the last digit.
	reach := observed * (1 + 1e-12)
	count := 1
	for _, x := range least {
		if x <= reach {
			count++
		}
	}
	p := float64(count) / (vectors + 1)

	// The Monte Carlo cannot see below 1/20,481; the sum over the looks of
	// P(p_j·√(N/n_j) ≤ observed) bounds F from above and is exact far out.
	bound := 0.0
	for j, n := range d.Looks {
		scale := math.Sqrt(float64(d.N) / float64(n))
		attained := 0.0
		for _, x := range tables[j] {
			if x > reach {
				break
			}
			attained = x / scale
		}
		bound += attained
	}
	return min(1, p, bound)
}

func minSum(ranks []int32, z []float64) int32 {
	plus, minus := int32(0), int32(0)
	for i, r := range ranks {
		if z[i] > 0 {
			plus += r
		} else {
			minus += r
		}
	}
	return min(plus, minus)
}

// extend continues z to n values whose ranks among the magnitudes are as
// likely one way as another, as exchangeable blocks would have them. When z
// has n values already, they take a new order: the units are the same, but
// more blocks will have joined them. All new signs are those of values there,
// so that exchanging old and new changes nothing else.
func extend(z []float64, n int, random *rand.Rand) []float64 {
	out := make([]float64, len(z), n)
	if len(z) == n {
		for i, r := range random.Perm(n) {
			out[i] = math.Copysign(float64(r+1), z[i])
		}
		return out
	}
	sign := 1.0
	for i, r := range doubledRanks(z) {
		out[i] = math.Copysign(float64(r)/2, z[i])
		if z[i] == 0 {
			out[i] = 0
		}
	}
	if up, ranked := leading(z); ranked && !up {
		sign = -1
	}
	for len(out) < n {
		// A new value of rank r moves those at or above r up by one.
		r := float64(random.IntN(len(out)+1)) + 1
		for i, v := range out {
			if math.Abs(v) >= r {
				out[i] = math.Copysign(math.Abs(v)+1, v)
			}
		}
		out = append(out, sign*r)
	}
	return out
}

// leading is the sign of the first value that is not zero.
func leading(z []float64) (up, ranked bool) {
	for _, v := range z {
		if v != 0 {
			return v > 0, true
		}
	}
	return false, false
}
