package judge

import (
	"math"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// Guard is a second look at the same difference, by all that the processes of
// the two sides used in whole blocks: the mean, rare costs included. It is less
// precise than slices compared in pairs. A verdict and an outcome of the gate
// stand only if the guard allows them. It only takes verdicts away, which costs
// nothing of the error rate, so that every look has all of α.
type Guard struct {
	// Center is the mean of the blocks' logarithms, Lo and Hi its interval by two
	// one-sided tests at α each.
	Center, Lo, Hi float64
	// Apart is the mean of what whole blocks show beyond the slices of the same
	// block, with its interval.
	Apart, ApartLo, ApartHi float64
	// Clock is [result.ProcessorClock], which interruptions hardly disturb, or
	// [result.WallClock].
	Clock string
	// Tolerance is how far slices and whole blocks may differ, relative, in
	// addition to a share of the change: see [GuardTolerance].
	Tolerance float64
	// Horizon is the time, in seconds, such that what happens at least so often
	// happened in the blocks, but for one study in twenty.
	Horizon float64
}

// GuardTolerance is how far slices and whole blocks may differ where δ is
// delta: by that, and by 2% at least.
func GuardTolerance(delta float64) float64 { return max(leastTolerance, delta) }

// shareTolerance is how far they may differ in addition, in parts of the change:
// reading the clocks adds a microsecond or two to every slice, on both sides.
const leastTolerance, shareTolerance = 0.02, 0.05

// tolerance is how far the guard may be from the interval, as a logarithm.
func (g *Guard) tolerance(iv Interval) float64 {
	return math.Log1p(g.Tolerance) + shareTolerance*math.Abs(iv.Center)
}

// Allows reports whether the guard allows the verdict that iv leads to, and if
// not why. Faster needs that the whole blocks are not slower by more than the
// tolerance, slower the other way round, same that they differ by no more than
// δ and the tolerance; and in any case that slices and whole blocks of the
// same blocks are not known to be further apart than the tolerance. A nil guard allows everything.
func (g *Guard) Allows(iv Interval, v result.Verdict, delta float64) result.Held {
	if g == nil {
		return result.NotHeld
	}
	x, inf := g.tolerance(iv), math.Inf(1)
	switch v {
	case result.Same:
		same := iv.Tolerance(delta) + x
		return g.within(iv, x, -same, same, true)
	case result.Slower:
		return g.within(iv, x, -x, inf, false)
	case result.Faster:
		return g.within(iv, x, -inf, x, false)
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
		return g.within(iv, x, -inf, iv.Tolerance(delta)+x, true)
	case Regression:
		return g.within(iv, x, -x, inf, false)
	}
	return result.NotHeld
}

// within reports whether the guard lies between lo and hi, and no further than x
// from the slices. It has to be precise enough to show that if the
// claim is that nothing is there: an absence is known of what was covered alone.
// Other claims need that on the processor clock.
func (g *Guard) within(iv Interval, x, lo, hi float64, absence bool) result.Held {
	processor := g.Clock == result.ProcessorClock
	precise := absence || processor
	apart := processor && (g.ApartLo > x || g.ApartHi < -x)
	if !processor { // interruptions add as much to either side, and draw the ratio towards 1
		apart = g.Lo > iv.Hi+x || g.Hi < iv.Lo-x
	}
	switch {
	case math.IsNaN(g.Lo - g.Hi):
		if precise {
			return result.HeldImprecise
		}
		return result.NotHeld
	case apart, g.Lo > hi || g.Hi < lo:
		return result.HeldDisagrees
	case precise && (g.Lo <= lo || g.Hi >= hi):
		return result.HeldImprecise
	}
	return result.NotHeld
}

// record is the guard as a row shows it.
func (g *Guard) record(held result.Held) *result.Guard {
	if g == nil {
		return nil
	}
	return &result.Guard{
		Clock: g.Clock, Tolerance: g.Tolerance, Horizon: g.Horizon, Held: held,
		Change: Interval{Center: g.Center, Lo: g.Lo, Hi: g.Hi, Relative: true}.Change(),
	}
}

// wholes are ln(new/old) of all that the blocks of a row of time used per
// operation, and on which clock.
type wholes struct {
	clock  string
	values []float64
}

// wholesOf is on the processor clock if that is known and is what passes, else on
// the wall clock: where work waits, runs in parallel or pauses its timer. It is
// nil if a block has no ratio.
func wholesOf(blocks []block, processors, old, new int) *wholes {
	w, apart := &wholes{clock: result.ProcessorClock}, 0
	for _, k := range blocks {
		if !usageOf(k, processors, old, new).processor {
			apart++
		}
	}
	if 4*apart <= len(blocks) && w.add(blocks, old, new, processorCost) {
		return w
	}
	w = &wholes{clock: result.WallClock}
	if w.add(blocks, old, new, func(rounds []result.Round, side int) float64 { return meanCost(rounds, side, processors) }) {
		return w
	}
	return nil
}

func (w *wholes) add(blocks []block, old, new int, cost func(rounds []result.Round, side int) float64) bool {
	for _, k := range blocks {
		a, b := cost(k.rounds, old), cost(k.rounds, new)
		if !(a > 0 && b > 0) {
			return false
		}
		w.values = append(w.values, math.Log(b)-math.Log(a))
	}
	return true
}

// processorCost is the processor time per operation of all slices of a side,
// with what its collector used after them, in seconds; 0 where it is not known.
func processorCost(rounds []result.Round, side int) float64 {
	time, operations := 0.0, 0.0
	for _, r := range rounds {
		s := r.Slices[side]
		if s.CPU <= 0 {
			return 0
		}
		time += (s.CPU + s.Settle) / 1e9
		operations += float64(s.N)
	}
	return time / operations
}

// guard is the guard at the look at n blocks; nil if the row has none.
func (e evidence) guard(n int) *Guard {
	if e.wholes == nil {
		return nil
	}
	e.spread = make([]float64, len(e.spread)) // how calm slices are says nothing about their sum
	sums := e.look(n, e.wholes.values).Center
	g := &Guard{Center: mean(sums), Clock: e.wholes.clock, Tolerance: GuardTolerance(e.study.Delta), Horizon: horizon(e.blocks[:n], e.old, e.new)}
	g.Lo, g.Hi = meanBounds(sums, e.study.Alpha)
	apart := slices.Clone(sums)
	for i, d := range e.look(n, e.typical).Center {
		apart[i] -= d
	}
	g.Apart = mean(apart)
	g.ApartLo, g.ApartHi = meanBounds(apart, e.study.Alpha)
	return g
}

// horizon is a third of the time that the shorter side was measured for: what
// happens so often on average is missed with probability e⁻³ (the rule of three).
func horizon(blocks []block, sides ...int) float64 {
	shortest := math.Inf(1)
	for _, v := range sides {
		measured := 0.0
		for _, k := range blocks {
			for _, r := range k.rounds {
				measured += r.Slices[v].Raw / 1e9
			}
		}
		shortest = min(shortest, measured)
	}
	return shortest / 3
}
