package benchtab

import (
	"cmp"
	"math"
	"slices"
)

// leastPairs is the minimum number of pairs of runs that can show a difference
// at the usual alpha: 2/2⁶ = 0.031.
const leastPairs = 6

type timed struct {
	position
	value float64
}

// interleaved reports whether a cell of the row may be compared in pairs.
func (r *TableRow) interleaved() bool {
	return slices.ContainsFunc(r.Cells, func(c *Cell) bool { return c != nil && c.Base != nil && c.oneFile() })
}

// oneFile reports whether all values of the cell and of its baseline come from the
// same file. For two files it is unknown which runs were neighbors.
func (c *Cell) oneFile() bool {
	return !slices.ContainsFunc(slices.Concat(c.from, c.Base.from), func(o origin) bool { return o.file != c.from[0].file })
}

func (c *Cell) inOrder() []timed {
	var all []timed
	for _, o := range c.from {
		for i, v := range o.series.Values[o.unit] {
			all = append(all, timed{position{o.file, o.series.Places[i]}, v})
		}
	}
	slices.SortStableFunc(all, func(a, b timed) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.at, b.at))
	})
	return all
}

// inPairs returns the differences of the pairs of runs of c and its baseline.
// If relative is set, they are logarithms of new/old. It returns nil unless the
// runs were interleaved: equal numbers, and one of each variant in every round.
func (c *Cell) inPairs(relative bool) []float64 {
	old, new := c.Base.times, c.times
	if len(new) < leastPairs || len(old) != len(new) || !c.oneFile() {
		return nil
	}
	d := make([]float64, len(new))
	for i := range d {
		if i > 0 && min(old[i].at, new[i].at) <= max(old[i-1].at, new[i-1].at) {
			return nil
		}
		d[i] = new[i].value - old[i].value
		if relative {
			d[i] = math.Log(new[i].value / old[i].value)
		}
	}
	return d
}
