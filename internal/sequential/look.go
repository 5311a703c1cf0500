package sequential

import (
	"fmt"
	"math"
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
