package sequential

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// vectors is the number of sign vectors of the conditional Monte Carlo. The
// first 11 signs of the vectors run through all 2¹¹ patterns equally often,
// so that the looks at 8 and 11 units are exact and the later ones less noisy.
const vectors = 10 << 11

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
