package judge

import (
	"fmt"
	"math"

	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// Decision is the outcome of a look.
type Decision struct {
	// Interval has the Hodges–Lehmann center of the N units of the look. Lo and Hi
	// are the repeated interval. Over all looks together it misses the truth with
	// probability at most the design's Alpha. They are infinite if the look could not
	// decide anything. JointLo and JointHi are the repeated interval at Alpha/Family.
	// The joint intervals of all rows of the family miss any truth with probability at
	// most Alpha. Pass is the interval of this look alone at the design's PassLevel, or
	// nil without one. Who knows the unit of the centers sets Relative.
	Interval
	// P is the two-sided p-value of this row alone, by the stagewise ordering of
	// the looks. It is at most Alpha/Family if the joint interval excludes 0. It
	// does not change after the first look that excluded 0.
	P float64
	// Critical is the largest min(W⁺, W⁻) for which Lo and Hi exclude 0, or -1 if
	// none does.
	Critical float64
}

// Decide judges looks 1 … k of the design. It returns one decision each, as it
// was at the time of the look. The last is the current decision. The same looks
// and seed give the same decisions.
//
// If the labels do not matter, the signs of the centers are random, given their
// magnitudes. A critical value is the largest signed-rank sum that
// limits the probability of a crossing, now or earlier, to the rate that the
// look may spend. It also gives the interval, so that the two always agree.
//
// That probability is a share of 20,480 sign vectors if the looks may spend a
// hundredth or more in all. Otherwise it is at most the sum of the exact
// probabilities of the looks (Bonferroni over looks). The sum has no grain, so
// that it works for thousands of rows.
func (d Design) Decide(seed uint64, looks ...Look) ([]Decision, error) {
	if err := d.check(looks); err != nil {
		return nil, fmt.Errorf("decide: %w", err)
	}
	t := newTrial(seed, looks)
	interval, _ := t.boundary(d.Spend)
	joint, spent := t.boundary(d.Adjusted)
	decisions := make([]Decision, len(looks))
	crossed := false
	for k, l := range looks {
		averages := l.averages()
		out := Decision{Interval: Interval{Center: stats.Median(averages), N: len(l.Center)}, Critical: float64(interval[k]) / 2}
		if interval[k] < 0 {
			out.Critical = -1
		}
		out.Lo, out.Hi = bounds(averages, float64(interval[k])/2)
		out.JointLo, out.JointHi = bounds(averages, float64(joint[k])/2)
		if d.PassLevel > 0 {
			alone, _ := (&trial{looks: t.looks[k : k+1]}).summed([]float64{d.PassLevel})
			lo, hi := bounds(averages, float64(alone[0])/2)
			out.Pass = &[2]float64{lo, hi}
		}
		if crossed {
			out.P = decisions[k-1].P
		} else {
			out.P = t.p(k, joint, spent)
		}
		// The interval also covers centers other than 0, and keeps the ranks of
		// zeros. It spends Alpha over all looks, and p spends Alpha/Family. If they
		// differ by a grain, the interval decides.
		switch {
		case crossed:
		case out.JointLo > 0 || out.JointHi < 0:
			out.P, crossed = min(out.P, d.adjusted()), true
		case out.Excludes(0):
			out.P = min(max(out.P, math.Nextafter(d.adjusted(), 1)), d.Alpha)
		default:
			out.P = max(out.P, math.Nextafter(d.Alpha, 1))
		}
		decisions[k] = out
	}
	return decisions, nil
}
