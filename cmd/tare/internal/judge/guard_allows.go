package judge

import (
	"math"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/unit"
)

// Guard is a second look at the same difference, by all that the processes of
// the two sides used in whole blocks. It is less precise than slices compared in
// pairs, and leaves nothing out. A verdict and an outcome of the gate stand only
// where the guard allows them.
type Guard struct {
	// Interval is the guard's own, by two one-sided tests at α each, on the
	// scale of the row.
	Center, Lo, Hi float64
	// Strict asks the guard to be precise enough to decide: where it is a clock
	// that interruptions do not disturb. Else only what it contradicts is held
	// back.
	Strict bool
	// Tolerance is how far slices and whole blocks may differ, relative, but
	// for a share of the change: see [GuardTolerance].
	Tolerance float64
}

// GuardTolerance is how far slices and whole blocks may differ where δ is
// delta: by that, and by 2% at least.
func GuardTolerance(delta float64) float64 { return max(leastTolerance, delta) }

// shareTolerance is how far they may differ in addition, in parts of the change:
// reading the clocks adds a microsecond or two to every slice, on both sides.
const leastTolerance, shareTolerance = 0.02, 0.05

// tolerance is how far the guard may be from the interval, as a logarithm.
func (g Guard) tolerance(iv Interval) float64 {
	return math.Log1p(g.Tolerance) + shareTolerance*math.Abs(iv.Center)
}

// Allows reports whether the guard allows the verdict that iv leads to, and if
// not why. Faster needs that the whole blocks are not slower by more than the
// tolerance, slower the other way round, same that they differ by no more than
// δ and the tolerance; and in any case that the two intervals are no further
// apart than the tolerance.
func (g Guard) Allows(iv Interval, v result.Verdict, delta float64, better unit.Direction) result.Held {
	x, inf := g.tolerance(iv), math.Inf(1)
	switch {
	case v == result.Same:
		same := iv.Tolerance(delta) + x
		return g.within(iv, x, -same, same)
	case v != result.Faster && v != result.Slower:
		return result.NotHeld
	case (v == result.Slower) == (better != unit.HigherIsBetter):
		return g.within(iv, x, -x, inf)
	}
	return g.within(iv, x, -inf, x)
}

// AllowsGate is [Guard.Allows] for an outcome of the gate.
func (g Guard) AllowsGate(iv Interval, outcome Gate, delta float64, better unit.Direction) result.Held {
	if better == unit.HigherIsBetter {
		iv.Center, iv.Lo, iv.Hi = -iv.Center, -iv.Hi, -iv.Lo
		g.Center, g.Lo, g.Hi = -g.Center, -g.Hi, -g.Lo
	}
	x, inf := g.tolerance(iv), math.Inf(1)
	switch outcome {
	case Pass:
		return g.within(iv, x, -inf, iv.Tolerance(delta)+x)
	case Regression:
		return g.within(iv, x, -x, inf)
	}
	return result.NotHeld
}

// within reports whether the guard lies between lo and hi, and its interval is
// no further than x from iv.
func (g Guard) within(iv Interval, x, lo, hi float64) result.Held {
	switch {
	case math.IsNaN(g.Lo-g.Hi) || math.IsInf(g.Lo-g.Hi, 0):
		if g.Strict {
			return result.HeldImprecise
		}
		return result.NotHeld
	case g.Lo > iv.Hi+x || g.Hi < iv.Lo-x, g.Lo > hi || g.Hi < lo:
		return result.HeldDisagrees
	case g.Strict && (g.Lo <= lo || g.Hi >= hi):
		return result.HeldImprecise
	}
	return result.NotHeld
}

// guardOf is the guard of a finished row, which holds nothing back where the
// row has none.
func guardOf(r *result.BenchmarkComparison) Guard {
	if r.Guard == nil {
		return Guard{Lo: math.NaN(), Hi: math.NaN()}
	}
	c := r.Guard.Change
	return Guard{Center: math.Log(c.Ratio), Lo: math.Log(c.Lo), Hi: math.Log(c.Hi), Strict: r.Guard.Clock == result.ProcessorClock, Tolerance: r.Guard.Tolerance}
}
