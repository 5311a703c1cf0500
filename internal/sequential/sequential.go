package sequential

import (
	"fmt"
	"math"

	"github.com/tarebench/tare/stats"
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
		out := Decision{Center: stats.Median(averages), Lo: math.Inf(-1), Hi: math.Inf(1), Critical: -1, Units: len(l.Center)}
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
