package sequential

import (
	"math"
	"slices"
)

// MinBlocks is the fewest blocks that carry an interval: with fewer, not even
// a unanimous sample reaches the first level of the default design.
const MinBlocks = 8

// Design is a group-sequential plan: when to look, and how much of the error
// rate may be spent by then (Lan and DeMets 1983). The levels of the looks
// grow as √(n/N).
type Design struct {
	// N is the number of blocks at which the plan ends.
	N int
	// Alpha is the two-sided error rate over all looks.
	Alpha float64
	// Looks are the numbers of blocks at which to look, ascending, the last
	// one N. It is empty when N < MinBlocks.
	Looks []int
	// Spend is the cumulative error rate allowed up to each look.
	Spend []float64
}

// The tables of the default and of the quick design for α = 0.05: what the
// critical values 0, 5, 16, 40, 99, 238 and 1, 6, 20, 45 spend when all
// magnitudes come from one distribution. The first entries are exact (2/2⁸
// and 4/2⁸), because one grain less would forbid any decision at 8 blocks.
var (
	spend40 = Design{N: 40, Alpha: 0.05,
		Looks: []int{8, 11, 15, 20, 28, 40},
		Spend: []float64{2. / 256, 0.0153, 0.0212, 0.0290, 0.0388, 0.0496}}
	spend20 = Design{N: 20, Alpha: 0.05,
		Looks: []int{8, 11, 15, 20},
		Spend: []float64{4. / 256, 0.0240, 0.0374, 0.0496}}
)

// NewDesign plans looks for at most n blocks at the two-sided error rate
// alpha. For n = 40 and n = 20 at 0.05 it is the published table; any other n
// looks at 8, 11, 15, 20, 28, 40, 56, 80, … and spends as the table of 40
// does at the same fraction of its end; any other alpha scales the row.
func NewDesign(n int, alpha float64) Design {
	d := Design{N: n, Alpha: alpha}
	if n < MinBlocks {
		return d
	}
	if n == spend20.N {
		d.Looks = slices.Clone(spend20.Looks)
		for _, s := range spend20.Spend {
			d.Spend = append(d.Spend, s*alpha/spend20.Alpha)
		}
		return d
	}
	for _, look := range lookGrid(n) {
		d.Looks = append(d.Looks, look)
		d.Spend = append(d.Spend, spentAt(float64(look)/float64(n), alpha))
	}
	return d
}

// lookGrid continues 8, 11, 15, 20, 28, 40 by factors of √2 and ends at n. A
// look less than a tenth before the end is not worth its share of the error.
func lookGrid(n int) []int {
	looks := []int{}
	for i := 0; ; i++ {
		var look int
		if i < len(spend40.Looks) {
			look = spend40.Looks[i]
		} else {
			look = int(math.Round(math.Sqrt2*float64(looks[i-1])/4)) * 4
		}
		if float64(look) > 0.9*float64(n) {
			return append(looks, n)
		}
		looks = append(looks, look)
	}
}

// spentAt is the spending function: the table of 40 blocks, linear between
// its looks.
func spentAt(t, alpha float64) float64 {
	n0, s0 := 0.0, 0.0
	at := t * float64(spend40.N)
	for i, look := range spend40.Looks {
		n1, s1 := float64(look), spend40.Spend[i]
		if at <= n1 {
			return (s0 + (s1-s0)*(at-n0)/(n1-n0)) * alpha / spend40.Alpha
		}
		n0, s0 = n1, s1
	}
	return s0 * alpha / spend40.Alpha
}

// NextLook is the number of good blocks at which a study of at most n blocks is
// looked at next when it has reached some already: n, and 1 at least, where no look is left.
func NextLook(n, reached int) int {
	for _, look := range NewDesign(n, 1).Looks {
		if look > reached {
			return look
		}
	}
	return max(n, 1)
}

// WithLook adds a look at n blocks, for a study that ends where no look was
// planned: its budget ran out, or it was interrupted. It spends what lies
// between its neighbours in the plan, so that the study may be taken up again.
func (d Design) WithLook(n int) Design {
	i, found := slices.BinarySearch(d.Looks, n)
	if found || i == 0 || i == len(d.Looks) {
		return d
	}
	n0, n1 := float64(d.Looks[i-1]), float64(d.Looks[i])
	s0, s1 := d.Spend[i-1], d.Spend[i]
	d.Looks = slices.Insert(slices.Clone(d.Looks), i, n)
	d.Spend = slices.Insert(slices.Clone(d.Spend), i, s0+(s1-s0)*(float64(n)-n0)/(n1-n0))
	return d
}

// Reached counts the looks that n blocks have reached.
func (d Design) Reached(n int) int {
	i, found := slices.BinarySearch(d.Looks, n)
	if found {
		return i + 1
	}
	return i
}
