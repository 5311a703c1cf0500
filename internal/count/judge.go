package count

import (
	"fmt"
	"math"

	"github.com/tarebench/tare/finding"
	"github.com/tarebench/tare/internal/result"
)

// DefaultDelta is the relative change of a count below which two sides are
// the same: counts are judged ten to twenty times finer than time.
const DefaultDelta = 0.001

// Judge compares two counts by their own spread; counts need no rounds.
//
// The interval of the change is that of the quotient of the two intervals,
// each first widened to ±0.01 % (what two independent runs may differ by).
// With it the rule is that of time: slower and faster when the interval leaves
// out no change, same when it lies inside ±delta, undecided otherwise. Two
// counts of zero are the same; a count that was or becomes zero has a
// difference and no ratio.
func Judge(old, new result.Estimate, delta float64) (result.Change, result.Verdict) {
	nan := math.NaN()
	if !(old.Center > 0) || !(new.Center > 0) {
		change := result.Change{Ratio: nan, Lo: nan, Hi: nan}
		if math.IsNaN(old.Center) || math.IsNaN(new.Center) {
			return change, result.Undecided
		}
		change.Difference = &result.Estimate{
			Center: new.Center - old.Center, Lo: new.Lo - old.Hi, Hi: new.Hi - old.Lo, N: min(old.N, new.N),
		}
		switch {
		case change.Difference.Lo > 0:
			return change, result.Slower
		case change.Difference.Hi < 0:
			return change, result.Faster
		case old.Center == new.Center:
			return change, result.Same
		}
		return change, result.Undecided
	}
	oldLo, oldHi := widen(old)
	newLo, newHi := widen(new)
	change := result.Change{Ratio: new.Center / old.Center, Lo: newLo / oldHi, Hi: newHi / oldLo}
	switch {
	case change.Lo > 1:
		return change, result.Slower
	case change.Hi < 1:
		return change, result.Faster
	case change.Lo > 1/(1+delta) && change.Hi < 1+delta:
		return change, result.Same
	}
	return change, result.Undecided
}

func widen(e result.Estimate) (lo, hi float64) {
	lo, hi = e.Lo, e.Hi
	if math.IsNaN(lo) || math.IsNaN(hi) {
		lo, hi = e.Center, e.Center
	}
	return min(lo, e.Center*(1-agreement)), max(hi, e.Center*(1+agreement))
}

// Disagreement says that time and a count point in opposite directions; nil
// when they do not, or when one of them is undecided.
func Disagreement(benchmark, unit string, time, count result.Verdict, timeChange, countChange result.Change) *finding.Finding {
	opposite := time == result.Slower && count == result.Faster || time == result.Faster && count == result.Slower
	if !opposite {
		return nil
	}
	more := "more"
	if count == result.Faster {
		more = "fewer"
	}
	return &finding.Finding{
		ID: "time-count-disagree", Severity: finding.Warning, Subject: benchmark,
		Message: fmt.Sprintf("%s in time (%+.2f %%) with %s %s (%+.2f %%)", time, 100*(timeChange.Ratio-1), more, unit, 100*(countChange.Ratio-1)),
		Action:  "both are true: look for cache misses, branch misses, waiting or code layout; -counters and -cpuprofile tell them apart",
	}
}
