package judge

import (
	"fmt"
	"math"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// pairing is one unit of old and new, reduced to numbers per block.
type pairing struct {
	// relative is true if the differences are of logarithms. If a typical value
	// is zero or negative, it is false, and the differences are in the unit.
	relative bool
	typical  []float64 // d_i: the median difference of the block's pairs
	layout   []int     // the unit of analysis that the block belongs to
	machine  []int     // the machine that measured the block, nil for one machine
}

// pair reduces the blocks. If old and new are exchanged, only the signs of
// typical change.
func pair(old, new series, layout []int) pairing {
	oldTypical, newTypical := old.medians(), new.medians()
	p := pairing{relative: positive(oldTypical) && positive(newTypical), layout: layout}
	for i := range old {
		a, b := old[i], new[i]
		var d float64
		switch {
		case !p.relative:
			d = typical(a, b, func(x, y float64) float64 { return y - x })
		case slices.Min(a) > 0 && slices.Min(b) > 0:
			d = typical(a, b, func(x, y float64) float64 { return math.Log(y) - math.Log(x) })
		default:
			// The overhead subtracted from some slice is more than its time. Then the
			// logarithm comes from the block's typical values.
			d = math.Log(newTypical[i]) - math.Log(oldTypical[i])
		}
		p.typical = append(p.typical, d)
	}
	return p
}

func typical(a, b []float64, differ func(a, b float64) float64) float64 {
	q := make([]float64, len(a))
	for j := range q {
		q[j] = differ(a[j], b[j])
	}
	return stats.Median(q)
}

// funcOrders numbers the units of analysis of blocks. Each block is a unit or,
// if function orders are reused, each combination of function orders.
func funcOrders(blocks []block, orders int, variants ...int) []int {
	out := make([]int, len(blocks))
	if orders == 0 {
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
	if variant < len(b.FuncOrders) {
		return b.FuncOrders[variant]
	}
	return 0
}

// look is the look of the first n blocks. Blocks with the same pair of function
// orders are averaged. All units count alike: weights would show the change of the
// function orders that happen to be calm.
func (p pairing) look(n int) Look {
	units := 0
	for _, u := range p.layout[:n] {
		units = max(units, u+1)
	}
	center, count := make([]float64, units), make([]float64, units)
	for i, u := range p.layout[:n] {
		center[u] += p.typical[i]
		count[u]++
	}
	for u := range center {
		center[u] /= count[u]
	}
	return Look{Center: center, Strata: p.strata(n, units)}
}

// strata are the machines of the units from the first n blocks. It is nil if
// there is one machine, or if a unit has blocks of several (a function order
// that machines share).
func (p pairing) strata(n, units int) []int {
	if p.machine == nil {
		return nil
	}
	out := slices.Repeat([]int{-1}, units)
	several := false
	for i, u := range p.layout[:n] {
		if out[u] >= 0 && out[u] != p.machine[i] {
			return nil
		}
		out[u] = p.machine[i]
		several = several || out[u] != p.machine[0]
	}
	if !several {
		return nil
	}
	return out
}

// whole is the look of all blocks.
func (p pairing) whole() Look { return p.look(len(p.typical)) }

// first are the centers of the first n units, or nil if there are fewer. They
// do not depend on when the study stopped, except slightly if function orders
// are used again.
func (p pairing) first(n int) []float64 {
	all := p.whole().Center
	if len(all) < n {
		return nil
	}
	return all[:n]
}

// repeated are the first blocks of a row with an exact change. It is nil if
// the row has no ratio.
func repeated(ratio float64) []float64 {
	if !(ratio > 0) {
		return nil
	}
	return slices.Repeat([]float64{math.Log(ratio)}, MinBlocks)
}
