package judge

import (
	"math"

	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/unit"
)

// Interval is what is known of new against old, on a scale where no difference
// is 0.
type Interval struct {
	// Center, Lo and Hi are logarithms of new/old, or differences in the unit
	// where Relative is false. An end that is infinite or NaN is unknown.
	Center, Lo, Hi float64
	Relative       bool
	// N counts the replicates.
	N int
}

// Between is the interval of a change.
func Between(c result.Change) Interval {
	if d := c.Difference; d != nil {
		return Interval{Center: d.Center, Lo: d.Lo, Hi: d.Hi, N: d.N}
	}
	return Interval{Center: math.Log(c.Ratio), Lo: math.Log(c.Lo), Hi: math.Log(c.Hi), Relative: true}
}

// Tolerance is δ on the scale of the interval. Differences in units have no
// per cent: only an interval that is the point 0 is the same there.
func (iv Interval) Tolerance(delta float64) float64 {
	if !iv.Relative {
		return 0
	}
	return math.Log1p(delta)
}

// Known reports whether both ends are.
func (iv Interval) Known() bool {
	return !math.IsNaN(iv.Lo-iv.Hi) && !math.IsInf(iv.Lo, 0) && !math.IsInf(iv.Hi, 0)
}

// Excludes reports whether the interval is known to lie on one side of v.
func (iv Interval) Excludes(v float64) bool { return iv.Lo > v || iv.Hi < v }

// Verdict reads the interval: faster or slower where it excludes no change and
// that is proven (false when the adjustment for the size of the table takes it
// back), same where it lies within delta, undecided otherwise.
func (iv Interval) Verdict(delta float64, better unit.Direction, proven bool) result.Verdict {
	lo, hi, x := iv.Lo, iv.Hi, iv.Tolerance(delta)
	if better == unit.HigherIsBetter {
		lo, hi = -hi, -lo
	}
	switch {
	case math.IsNaN(lo) || math.IsNaN(hi):
		return result.Undecided
	case hi < 0 && proven:
		return result.Faster
	case lo > 0 && proven:
		return result.Slower
	case lo >= -x && hi <= x:
		return result.Same
	}
	return result.Undecided
}

// Change is the interval as new/old, or as a difference in the unit.
func (iv Interval) Change() result.Change {
	lo, hi := finite(iv.Lo), finite(iv.Hi)
	if !iv.Relative {
		c := UnknownChange()
		c.Difference = &result.Estimate{Center: iv.Center, Lo: lo, Hi: hi, N: iv.N}
		return c
	}
	return result.Change{Ratio: math.Exp(iv.Center), Lo: math.Exp(lo), Hi: math.Exp(hi)}
}

// UnknownChange is the change of a row without numbers.
func UnknownChange() result.Change {
	return result.Change{Ratio: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
}

// Unknown is the estimate of a side without numbers.
func Unknown() result.Estimate {
	return result.Estimate{Center: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
}

// finite turns the infinite end of an interval that is not one into NaN.
func finite(v float64) float64 {
	if math.IsInf(v, 0) {
		return math.NaN()
	}
	return v
}

// Exact fills a row whose sides are both constant over n and m replicates.
func Exact(row *result.BenchmarkComparison, old, new float64, n, m int) {
	row.Exact = true
	row.Old = result.Estimate{Center: old, Lo: old, Hi: old, N: n}
	row.New = result.Estimate{Center: new, Lo: new, Hi: new, N: m}
	difference := Interval{Center: new - old, Lo: new - old, Hi: new - old, N: min(n, m)}
	row.Change = difference.Change()
	switch {
	case old == new:
		row.Change = result.Change{Ratio: 1, Lo: 1, Hi: 1}
	case old > 0 && new > 0:
		r := new / old
		row.Change = result.Change{Ratio: r, Lo: r, Hi: r}
	}
	row.Verdict = difference.Verdict(0, row.Direction(), true)
}

// Needed estimates how many replicates in all would settle an undecided row
// that has n: the half-width h shrinks as 1/√n, and settles it when it falls
// below the way from the centre to 0, or to the far end of ±x, whichever comes
// first: n·(h/max(|θ|, x−|θ|))². At θ = 0 this is n·(h/x)². It is 0 where
// that is unknown.
func (iv Interval) Needed(delta, n float64) int {
	h := (iv.Hi - iv.Lo) / 2
	way := max(math.Abs(iv.Center), iv.Tolerance(delta)-math.Abs(iv.Center))
	if math.IsInf(h, 0) || math.IsNaN(h) || !(way > 0) {
		return 0
	}
	need := math.Ceil(n * (h / way) * (h / way))
	if need > math.MaxInt32 {
		return 0
	}
	return max(int(need), int(n)+1)
}

// Measured tells units that are read from a clock, which have noise even
// where a few readings agree, from counts.
func Measured(u string) bool {
	switch unit.Quantity(u) {
	case "sec", "ns":
		return true
	}
	return unit.Better(u) == unit.HigherIsBetter
}

// Band is the word for a relative spread: 1 to 2 % is good, 3 to 5 % fair, and
// above the setup is unstable.
func Band(spread float64) string {
	switch {
	case spread <= 0.02:
		return "good"
	case spread <= 0.05:
		return "fair"
	}
	return "unstable"
}
