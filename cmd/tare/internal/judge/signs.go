package judge

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync/atomic"
)

// vectors is the number of sign vectors of the conditional Monte Carlo. The
// first 11 signs of the vectors run through all 2¹¹ patterns equally often. So
// the looks at 8 and 11 units are exact and the later ones less noisy.
const vectors = 10 << 11

// signs are the sign vectors: bit i of words[u][v] is set if vector v flips
// unit 64u+i.
type signs struct {
	seed  uint64
	words [][]uint64
}

// latest are the signs made last. A row has several decisions and one seed.
var latest atomic.Pointer[signs]

// newSigns draws the signs of a seed for some units. Do not change the result.
// The signs of fewer units are a prefix of the signs of more.
func newSigns(seed uint64, units int) *signs {
	n := (units + 63) / 64
	if s := latest.Load(); s != nil && s.seed == seed && len(s.words) >= n {
		return s
	}
	s := &signs{seed: seed, words: make([][]uint64, n)}
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
	latest.Store(s)
	return s
}

// fill computes min(W⁺, W⁻) in doubled ranks for every vector, which flips
// the signs of z.
func (s *signs) fill(ranks []int32, z []float64) []int32 {
	total := int32(0)
	for _, r := range ranks {
		total += r
	}
	// A zero with a rank takes the sign of the first value that has one, so that
	// exchanging old and new exchanges W⁺ and W⁻ in every vector.
	signed := slices.IndexFunc(z, func(v float64) bool { return v != 0 })
	zero := signed >= 0 && z[signed] > 0
	sums := make([]int32, vectors)
	for u, words := range s.words {
		first := 64 * u
		if first >= len(ranks) {
			break
		}
		// W⁺ of the units of a byte, by the flips in it. Flipping the lowest flipped
		// unit of the rest moves its rank to or from W⁺. Tables of bytes without
		// units stay zero.
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
				sums[v] += a[uint8(w)] + b[uint8(w>>8)] + c[uint8(w>>16)] + d[uint8(w>>24)]
			}
		}
	}
	for v, w := range sums {
		sums[v] = min(w, total-w)
	}
	return sums
}
