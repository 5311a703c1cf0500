package judge

import (
	"math"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// MinBlocks is the fewest blocks with an interval. With fewer, even a
// unanimous sample is more likely than the error rate that a first look may
// spend.
const MinBlocks = 8

// leastEnd is the fewest blocks of a study that ends before its first look. It
// has spent no error rate. Six blocks of one sign are rare enough to spend all
// of it.
const leastEnd = 6

// Design is a group-sequential plan. It sets when to look, and how much of the
// error rate may be spent by then (Lan and DeMets 1983). Looks are a factor of
// √2 apart, and each gets about the same share, as with Pocock's boundaries.
// So a difference is found about as early as the error rate allows.
type Design struct {
	// N is the number of blocks at which the plan ends.
	N int
	// Alpha is the two-sided error rate of one row over all its looks. Family is
	// the number of rows among which a difference must be significant (1 for
	// one).
	Alpha  float64
	Family int
	// PassLevel is the two-sided error rate of [Interval.Pass]. 0 omits it.
	PassLevel float64
	// Looks are the numbers of blocks at which to look, ascending, the last one
	// N. It is empty if N is too small for any verdict.
	Looks []int
	// Spend is the cumulative error rate of the interval up to each look, at most
	// Alpha. Adjusted is the cumulative error rate of calling a difference, at
	// most Alpha/Family. That is Bonferroni's level, so Holm's adjustment never
	// reverses the call of a look.
	Spend, Adjusted []float64
}

// DesignOf is the design of a study.
func DesignOf(s result.Study) Design {
	d := NewDesign(s.MaxBlocks, s.Alpha, s.Family)
	d.PassLevel = s.PassLevel
	return d
}

// NewDesign plans looks for at most n blocks at the two-sided error rate alpha
// for each of family rows. A family below 1 counts as 1.
//
// The looks are at 8, 11, 15, 20, 28, 40, 56, 80, … blocks, at n, and at the
// first number whose blocks of one sign are rare enough for half of
// alpha/family. Below [MinBlocks] the only look is at n, and below leastEnd there
// is none.
func NewDesign(n int, alpha float64, family int) Design {
	d := Design{N: n, Alpha: alpha, Family: max(family, 1)}
	if n < leastEnd {
		return d
	}
	d.Looks = lookGrid(n)
	if first := LeastBlocks(d.adjusted()); first < n {
		if i, found := slices.BinarySearch(d.Looks, first); !found {
			d.Looks = slices.Insert(d.Looks, i, first)
		}
	}
	d.Spend = spendRow(d.Looks, alpha)
	d.Adjusted = spendRow(d.Looks, d.adjusted())
	return d
}

// LeastOrders is the least number of function orders that blocks share: the
// units of the first look that can call a difference. The mean of an order
// changes from look to look, so that in a large family only that look could
// cross. Such a family shares three more.
func (d Design) LeastOrders() int {
	if d.adjusted() >= Coarse {
		return d.FirstCalled()
	}
	return d.FirstCalled() + 3
}

// FirstCalled is the number of blocks of the first look that can call a difference.
func (d Design) FirstCalled() int {
	if i := slices.IndexFunc(d.Adjusted, func(spend float64) bool { return spend > 0 }); i >= 0 {
		return d.Looks[i]
	}
	return max(1, d.N)
}

func (d Design) adjusted() float64 { return d.Alpha / float64(d.Family) }

// LeastBlocks is the number of blocks that a study at the error rate alpha
// needs before any outcome can be called a difference. It is at least MinBlocks.
// They have one sign with probability at most half of alpha: 1 + log2(2/alpha).
func LeastBlocks(alpha float64) int {
	return max(MinBlocks, int(math.Ceil(1+math.Log2(2/alpha)-1e-9)))
}

func unanimous(n int) float64 { return math.Ldexp(1, 1-n) }

// lookGrid continues 8, 11, 15, 20, 28, 40 by factors of √2 and ends at n. A
// look less than a tenth before the end is not worth its share of the error.
func lookGrid(n int) []int {
	grid := []int{8, 11, 15, 20, 28, 40}
	for i := 0; ; i++ {
		if i == len(grid) {
			grid = append(grid, int(math.Round(math.Sqrt2*float64(grid[i-1])/4))*4)
		}
		if float64(grid[i]) > 0.9*float64(n) {
			return append(grid[:i:i], n)
		}
	}
}

// spendRow is the cumulative error rate at each of looks. It is zero before the
// first look that can decide, the rate of unanimous blocks at that look, and
// total at the last. In between, equal ratios of blocks get equal shares.
func spendRow(looks []int, total float64) []float64 {
	first, last := LeastBlocks(total), looks[len(looks)-1]
	row := make([]float64, len(looks))
	for i, n := range looks {
		switch {
		case n == last:
			row[i] = total
		case n >= first:
			least := unanimous(first)
			row[i] = least + (total-least)*math.Log(float64(n)/float64(first))/math.Log(float64(last)/float64(first))
		}
	}
	return row
}

// Next is the number of good blocks of the next look after reached ones.
// Without a next look it is N, and at least 1.
func (d Design) Next(reached int) int {
	if i := d.Reached(reached); i < len(d.Looks) {
		return d.Looks[i]
	}
	return max(d.N, 1)
}

// WithEnd adds a look at n blocks, for a study that ended for a reason
// independent of the variants: its budget, or the user. The look spends half of
// the remaining error rate, and the later looks share the rest, so that the
// study may be resumed. At N a design ends and spends everything.
func (d Design) WithEnd(n int) Design {
	if len(d.Looks) == 0 || n < leastEnd || n >= d.N {
		return d
	}
	i, found := slices.BinarySearch(d.Looks, n)
	d.Looks = slices.Clone(d.Looks)
	if !found {
		d.Looks = slices.Insert(d.Looks, i, n)
	}
	end := func(row []float64) []float64 {
		before, planned, total := 0.0, 0.0, row[len(row)-1]
		if i > 0 {
			before = row[i-1]
		}
		if planned = before; found {
			planned = row[i]
		}
		spent := max(planned, (before+total)/2)
		if u := unanimous(n); before == 0 && u <= total {
			spent = max(spent, u)
		}
		out := append(slices.Clone(row[:i]), spent)
		for k := len(out); k < len(d.Looks); k++ {
			later := row[k-(len(d.Looks)-len(row))]
			out = append(out, spent+(later-planned)/(total-planned)*(total-spent))
		}
		out[len(out)-1] = total
		return out
	}
	d.Spend, d.Adjusted = end(d.Spend), end(d.Adjusted)
	return d
}

// Reached counts the looks that need at most n blocks.
func (d Design) Reached(n int) int {
	i, _ := slices.BinarySearch(d.Looks, n+1)
	return i
}
