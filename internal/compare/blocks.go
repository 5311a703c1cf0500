package compare

import (
	"fmt"
	"math"
	"slices"

	"github.com/tarebench/tare/result"
	"github.com/tarebench/tare/stats"
)

// reading takes the value of one unit, in the base unit, from a slice.
type reading func(result.Slice) (float64, bool)

func seconds(s result.Slice) (float64, bool) { return s.Seconds(), s.N > 0 }

// The runtime itself allocates a little now and then. What that adds to a
// slice (at most so much, and less than a thousandth of the count) is not the
// benchmark's.
const (
	strayMallocs = 64
	strayBytes   = 16 << 10
	leastBytes   = 16 // of an allocation
)

func bytesPerOp(s result.Slice) (float64, bool) {
	return perOp(s.Bytes, s.N, strayBytes, leastBytes), s.Counted && s.N > 0
}

func allocsPerOp(s result.Slice) (float64, bool) {
	return perOp(s.Mallocs, s.N, strayMallocs, 1), s.Counted && s.N > 0
}

// perOp is an exact fraction, or the whole number that it is but for what the
// runtime added. Least is what one allocation counts at least.
func perOp(total uint64, n int64, stray, least uint64) float64 {
	if n <= 0 {
		return 0
	}
	excess := total % uint64(n)
	if excess <= stray && excess*1000 <= max(total, uint64(n)*least) {
		return float64(total / uint64(n))
	}
	return float64(total) / float64(n)
}

func metric(unit string) reading {
	return func(s result.Slice) (float64, bool) {
		v, ok := s.Metrics[unit]
		return v, ok && s.N > 0 && !math.IsNaN(v) && !math.IsInf(v, 0)
	}
}

// block is a complete, undisturbed block with the rounds that count.
type block struct {
	result.Block
	rounds []result.Round
	// counting are the rounds whose times count for nothing.
	counting []result.Round
}

// goodBlocks pairs blocks with their rounds, in block order: a block counts
// when it has ended, nothing disturbed it, and every one of variants ran at
// least one slice beside the others that was no warm-up.
func goodBlocks(rounds []result.Round, blocks []result.Block, variants ...int) []block {
	byBlock, counting := make(map[int][]result.Round), make(map[int][]result.Round)
	for _, r := range rounds {
		complete := !r.Warmup
		for _, v := range variants {
			complete = complete && v < len(r.Slices) && r.Slices[v].N > 0
		}
		switch {
		case complete && r.Counting:
			counting[r.Block] = append(counting[r.Block], r)
		case complete:
			byBlock[r.Block] = append(byBlock[r.Block], r)
		}
	}
	var good []block
	for _, b := range blocks {
		if b.Disturbed == "" && len(byBlock[b.Block]) > 0 {
			good = append(good, block{b, byBlock[b.Block], counting[b.Block]})
		}
	}
	slices.SortStableFunc(good, func(a, b block) int { return a.Block.Block - b.Block.Block })
	return good
}

// counted are the blocks whose allocations are known, with the rounds that
// know them: timed rounds where they were counted there, counting rounds
// where the benchmark pauses too often for that.
func counted(blocks []block, variants ...int) []block {
	var out []block
	for _, b := range blocks {
		rounds := slices.DeleteFunc(slices.Concat(b.rounds, b.counting), func(r result.Round) bool {
			return slices.ContainsFunc(variants, func(v int) bool { return !r.Slices[v].Counted })
		})
		if len(rounds) > 0 {
			b.rounds = rounds
			out = append(out, b)
		}
	}
	return out
}

// apart picks the blocks whose counting rounds know a quantity.
func apart(from reading) func(blocks []block, variants ...int) []block {
	return func(blocks []block, variants ...int) (out []block) {
		for _, b := range blocks {
			b.rounds = slices.DeleteFunc(slices.Clone(b.counting), func(r result.Round) bool {
				return slices.ContainsFunc(variants, func(v int) bool { _, ok := from(r.Slices[v]); return !ok })
			})
			if len(b.rounds) > 0 {
				out = append(out, b)
			}
		}
		return out
	}
}

// series are the values of one unit and variant: one list per block, in the
// order the slices ran.
type series [][]float64

// read collects the values that all of variants have in the same round.
func read(blocks []block, from reading, variants ...int) []series {
	out := make([]series, len(variants))
	for _, b := range blocks {
		lists := make([][]float64, len(variants))
		for _, r := range b.rounds {
			values := make([]float64, len(variants))
			whole := true
			for i, v := range variants {
				var ok bool
				values[i], ok = from(r.Slices[v])
				whole = whole && ok
			}
			if whole {
				for i, v := range values {
					lists[i] = append(lists[i], v)
				}
			}
		}
		for i := range out {
			out[i] = append(out[i], lists[i])
		}
	}
	return out
}

// present tells whether every block has a value.
func (s series) present() bool {
	return len(s) > 0 && !slices.ContainsFunc(s, func(block []float64) bool { return len(block) == 0 })
}

// medians are the typical values of the blocks.
func (s series) medians() []float64 {
	out := make([]float64, len(s))
	for i, block := range s {
		out[i] = stats.Median(block)
	}
	return out
}

// positive tells whether a ratio of typical values says anything.
func positive(medians []float64) bool {
	return !slices.ContainsFunc(medians, func(v float64) bool { return v <= 0 })
}

// constant tells whether the typical slice of every block has one and the
// same value, and which: a stray allocation of the runtime in one slice of
// many does not make a count uncertain.
func (s series) constant() (float64, bool) {
	m := s.medians()
	for _, v := range m {
		if v != m[0] {
			return 0, false
		}
	}
	return m[0], len(m) > 0
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v / float64(len(x))
	}
	return sum
}

// pairing is one unit of old and new, reduced to numbers per block.
type pairing struct {
	// relative is true where the differences are of logarithms: false where
	// a typical value is zero or negative, and they are in the unit itself.
	relative bool
	typical  []float64 // d_i: the median difference of the block's pairs
	spread   []float64 // m_i: their median absolute deviation
	means    []float64 // the difference of the block's means
	layout   []int     // the unit of analysis that the block belongs to
}

// pair reduces the blocks. All of it is swap-symmetric: exchanging old and new
// turns the signs of typical and means and leaves the rest.
func pair(old, new series, layout []int) pairing {
	oldTypical, newTypical := old.medians(), new.medians()
	p := pairing{relative: positive(oldTypical) && positive(newTypical), layout: layout}
	for i := range old {
		a, b := old[i], new[i]
		var d, spread float64
		switch {
		case !p.relative:
			d, spread = typical(a, b, func(x, y float64) float64 { return y - x })
		case slices.Min(a) > 0 && slices.Min(b) > 0:
			d, spread = typical(a, b, func(x, y float64) float64 { return math.Log(y / x) })
		default:
			// Some slice is all clock: what was taken off is more than was
			// there. Then the logarithm is of the block's typical values, and
			// its spread that of the differences, relative to them.
			am, bm := oldTypical[i], newTypical[i]
			_, spread = typical(a, b, func(x, y float64) float64 { return (y - x) / math.Sqrt(am*bm) })
			d = math.Log(bm) - math.Log(am)
		}
		p.typical = append(p.typical, d)
		p.spread = append(p.spread, spread)
		am, bm := mean(a), mean(b)
		switch {
		case !p.relative:
			p.means = append(p.means, bm-am)
		case am > 0 && bm > 0:
			p.means = append(p.means, math.Log(bm/am))
		default:
			p.means = append(p.means, d) // the mean says nothing here
		}
	}
	return p
}

// typical is the median difference of pairs and its median absolute deviation.
func typical(a, b []float64, differ func(a, b float64) float64) (d, spread float64) {
	q := make([]float64, len(a))
	for j := range q {
		q[j] = differ(a[j], b[j])
	}
	return stats.Median(q), stats.MAD(q)
}

// layouts numbers the units of analysis of blocks: every block is one, or,
// where links are reused, every combination of link layouts.
func layouts(blocks []block, linkSets int, variants ...int) []int {
	out := make([]int, len(blocks))
	if linkSets == 0 {
		for i := range out {
			out[i] = i
		}
		return out
	}
	seen := make(map[string]int)
	for i, b := range blocks {
		key := ""
		for _, v := range variants {
			key += fmt.Sprint(seedOf(b, v), " ")
		}
		n, ok := seen[key]
		if !ok {
			n = len(seen)
			seen[key] = n
		}
		out[i] = n
	}
	return out
}

func seedOf(b block, variant int) uint64 {
	if variant < len(b.Layouts) {
		return b.Layouts[variant]
	}
	return 0
}

// look is what the first n blocks show: of the typical differences, or of the
// means. Blocks of one layout pair are averaged. A unit's spread is
// s_i = √(m_i² + median(m)²); without any spread all units weigh the same.
func (p pairing) look(n int, values []float64) stats.Look {
	units := 0
	for _, u := range p.layout[:n] {
		units = max(units, u+1)
	}
	center, spread, count := make([]float64, units), make([]float64, units), make([]float64, units)
	for i, u := range p.layout[:n] {
		center[u] += values[i]
		spread[u] += p.spread[i] * p.spread[i]
		count[u]++
	}
	for u := range center {
		center[u] /= count[u]
		spread[u] = math.Sqrt(spread[u]) / count[u]
	}
	return stats.Look{Center: center, Spread: steady(spread)}
}

// steady turns spreads m_i into s_i = √(m_i² + median(m)²), so that a block
// that happens to look calm does not outweigh all others; nil, which is equal
// weights, where most have no spread at all.
func steady(m []float64) []float64 {
	middle := stats.Median(m)
	if !(middle > 0) {
		return nil
	}
	s := make([]float64, len(m))
	for i, v := range m {
		s[i] = math.Hypot(v, middle)
	}
	return s
}

// settledLook is what all blocks show when every spread stays as it was when
// its unit was complete: the e-process is valid only for values that stay.
func (p pairing) settledLook(values []float64) stats.Look {
	all := p.look(len(values), values)
	if all.Spread == nil {
		return all
	}
	spread := make([]float64, len(all.Center))
	for n := range values {
		then := p.look(n+1, values)
		if then.Spread == nil {
			return stats.Look{Center: all.Center}
		}
		spread[p.layout[n]] = then.Spread[p.layout[n]]
	}
	return stats.Look{Center: all.Center, Spread: spread}
}

// center is the weighted Hodges–Lehmann centre, without an interval.
func (p pairing) center() float64 {
	l := p.look(len(p.typical), p.typical)
	return stats.WeightedCenter(l.Center, l.Spread)
}
