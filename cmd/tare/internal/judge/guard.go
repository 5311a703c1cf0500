package judge

import (
	"math"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// Guard checks the same difference by the means of whole blocks. These include
// rare costs: see [block.excess]. A verdict and an outcome of the gate need the
// consent of the guard. The guard only removes verdicts, which spends no error
// rate, so that every look has all of α.
type Guard struct {
	// Center is the mean of the blocks' logarithms. Lo and Hi are its interval by
	// two one-sided tests at α each.
	Center, Lo, Hi float64
	// Apart is the mean difference of whole blocks from the slices of the same
	// block, with its interval.
	Apart, ApartLo, ApartHi float64
	// Sums are like the guard and its distance, if every slice counts its own time. They show a rare cost of computation alone, which no event marks.
	// Interruptions disturb them, so they matter only if the distance is known.
	SumsLo, SumsHi                      float64
	SumsApart, SumsApartLo, SumsApartHi float64
	// Tolerance is the relative difference allowed between slices and whole
	// blocks, in addition to a share of the change: see [GuardTolerance].
	Tolerance float64
	steady    bool // interruptions do not disturb it
	// Horizon is a time in seconds. An event that happens at least this often
	// happened in the blocks, except in one study of twenty. It is a third of the
	// time for which the shorter variant was measured (the rule of three).
	Horizon float64
}

// GuardTolerance is the difference allowed between slices and whole blocks if
// δ is delta. It is delta, and at least 2%.
func GuardTolerance(delta float64) float64 { return max(leastTolerance, delta) }

// shareTolerance is the additional difference allowed, in parts of the change:
// reading the clocks adds a microsecond or two to every slice, in both
// variants.
const leastTolerance, shareTolerance = 0.02, 0.05

// tolerance is the distance allowed between the guard and the interval, as a
// logarithm.
func (g *Guard) tolerance(iv Interval) float64 {
	return math.Log1p(g.Tolerance) + shareTolerance*math.Abs(iv.Center)
}

// Allows reports whether the guard allows the verdict of iv, and the reason if
// not. Faster needs whole blocks that are not slower by more than the
// tolerance. Slower is the reverse. Same needs whole blocks that differ by no
// more than δ and the tolerance. No verdict is allowed if slices and whole
// blocks of the same blocks are known to differ by more than the tolerance. A
// nil guard allows everything.
func (g *Guard) Allows(iv Interval, v result.Verdict, delta float64) result.Held {
	if g == nil {
		return result.NotHeld
	}
	x, inf := g.tolerance(iv), math.Inf(1)
	switch v {
	case result.Same:
		same := iv.Tolerance(delta) + x
		return g.within(iv, x, claim{lo: -same, hi: same, sumsLo: -same, sumsHi: same, absence: true})
	case result.Slower:
		return g.within(iv, x, claim{lo: -x, hi: inf, sumsLo: x, sumsHi: inf})
	case result.Faster:
		return g.within(iv, x, claim{lo: -inf, hi: x, sumsLo: -inf, sumsHi: -x})
	}
	return result.NotHeld
}

// AllowsGate is [Guard.Allows] for an outcome of the gate.
func (g *Guard) AllowsGate(iv Interval, outcome Gate, delta float64) result.Held {
	if g == nil {
		return result.NotHeld
	}
	x, inf := g.tolerance(iv), math.Inf(1)
	switch outcome {
	case Pass:
		limit := iv.Tolerance(delta) + x
		return g.within(iv, x, claim{lo: -inf, hi: limit, sumsLo: -inf, sumsHi: limit, absence: true})
	case Regression:
		return g.within(iv, x, claim{lo: -x, hi: inf, sumsLo: x, sumsHi: inf})
	}
	return result.NotHeld
}

// claim is where a guard has to be for a verdict, as logarithms. Sums that are
// known to be apart from typical slices have to confirm the claim, not the size
// of the change: the first microseconds of a slice cost more, and draw the sums
// of short slices away from large changes.
type claim struct {
	lo, hi, sumsLo, sumsHi float64
	absence                bool // of a difference
}

// within reports whether the guard is where the claim needs it, and at most x from
// the slices. To claim an absence, the guard has to be precise enough to show
// it. An absence is known only for the measured time. Other claims need
// precision only if interruptions do not disturb the guard.
func (g *Guard) within(iv Interval, x float64, c claim) result.Held {
	precise := c.absence || g.steady
	apart := g.steady && (g.ApartLo > x || g.ApartHi < -x)
	if !g.steady { // interruptions add equally to both variants, and move the ratio towards 1
		apart = g.Lo > iv.Hi+x || g.Hi < iv.Lo-x
	}
	apart = apart || g.sumsApart(x) && (g.SumsHi > c.sumsHi || g.SumsLo < c.sumsLo)
	switch {
	case math.IsNaN(g.Lo - g.Hi):
		if precise {
			return result.HeldImprecise
		}
		return result.NotHeld
	case apart, g.Lo > c.hi || g.Hi < c.lo:
		return result.HeldDisagrees
	case precise && (g.Lo <= c.lo || g.Hi >= c.hi):
		return result.HeldImprecise
	}
	return result.NotHeld
}

// sumsApart reports whether the sums of slices are known to differ from typical
// slices by more than x.
func (g *Guard) sumsApart(x float64) bool { return g.SumsApartLo > x || g.SumsApartHi < -x }

// record is the guard in the form that a row contains.
func (g *Guard) record(held result.Held) *result.Guard {
	if g == nil {
		return nil
	}
	return &result.Guard{
		Tolerance: g.Tolerance, Horizon: g.Horizon, Held: held,
		Change: Interval{Center: g.Center, Lo: g.Lo, Hi: g.Hi, Relative: true}.Change(),
	}
}

// wholes are, for each block of a row of time, the extra time of the new
// variant over all its slices relative to typical ones, minus the extra time
// of the old variant, as a logarithm. They include how long the variants were
// measured.
type wholes struct {
	steady  bool // interruptions do not disturb it
	values  []float64
	sums    []float64 // all slices with their own time, nil if delays are not known
	covered [][2]float64
}

func wholesOf(blocks []block, old, new int) *wholes {
	known := followed(blocks, old, new)
	w := &wholes{steady: known || watched(blocks, old, new)}
	for _, k := range blocks {
		apart, sums := k.apart(old, new)
		w.values = append(w.values, apart)
		if known {
			w.sums = append(w.sums, sums)
		}
		w.covered = append(w.covered, [2]float64{k.measured(old), k.measured(new)})
	}
	return w
}

// apart is the excess of the new variant minus the excess of the old one, and
// the same of the sums. A block with few or collecting slices is compared whole,
// without an excess.
func (k block) apart(old, new int) (excess, sums float64) {
	a, okA := k.excess(old)
	b, okB := k.excess(new)
	if !okA || !okB {
		return 0, 0
	}
	return b.log - a.log, b.sums - a.sums
}

// guard is the guard at the look at n blocks, or nil if the row has none.
func (e evidence) guard(n int) *Guard {
	if e.wholes == nil {
		return nil
	}
	typical := e.look(n, e.typical).Center
	whole := func(values []float64) (change, apart []float64) {
		change, apart = slices.Clone(typical), e.look(n, values).Center
		for i, d := range apart {
			change[i] += d
		}
		return change, apart
	}
	change, apart := whole(e.wholes.values)
	var covered [2]float64
	for _, c := range e.wholes.covered[:n] {
		covered[0], covered[1] = covered[0]+c[0], covered[1]+c[1]
	}
	g := &Guard{steady: e.wholes.steady, Tolerance: GuardTolerance(e.study.Delta), Horizon: min(covered[0], covered[1]) / 3}
	g.Center, g.Apart = mean(change), mean(apart)
	g.Lo, g.Hi = meanBounds(change, e.study.Alpha)
	if g.ApartLo, g.ApartHi = meanBounds(apart, e.study.Alpha); g.Horizon == 0 {
		g.Lo, g.Hi = math.NaN(), math.NaN()
	}
	if e.wholes.sums != nil {
		change, apart := whole(e.wholes.sums)
		g.SumsApart = mean(apart)
		g.SumsApartLo, g.SumsApartHi = meanBounds(apart, e.study.Alpha)
		g.SumsLo, g.SumsHi = meanBounds(change, e.study.Alpha)
	}
	return g
}
