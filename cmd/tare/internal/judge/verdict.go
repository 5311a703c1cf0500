package judge

import (
	"math"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/unit"
)

// Interval is the estimate of new relative to old, on a scale with 0 for no
// difference. It is in logarithms of new/old, or in the unit if Relative is
// false. An end that is infinite or NaN is unknown.
type Interval struct {
	// Center is the estimate, Lo and Hi are its interval at 1 − α.
	Center, Lo, Hi float64
	// JointLo and JointHi are the interval that, together with the intervals of
	// all rows of the family, covers the truth at 1 − α.
	JointLo, JointHi float64
	// Pass is the interval of which a pass of the gate needs an end, if it is not
	// Lo to Hi.
	Pass     *[2]float64
	Relative bool
	// N counts the replicates.
	N int
}

// Between is the interval of a change, without the joint one.
func Between(c result.Change) Interval {
	nan := math.NaN()
	iv := Interval{JointLo: nan, JointHi: nan}
	if d := c.Difference; d != nil {
		iv.Center, iv.Lo, iv.Hi, iv.N = d.Center, d.Lo, d.Hi, d.N
		return iv
	}
	iv.Center, iv.Lo, iv.Hi, iv.Relative = math.Log(c.Ratio), math.Log(c.Lo), math.Log(c.Hi), true
	return iv
}

// exactInterval is the interval of a difference that is known exactly.
func exactInterval(v float64, relative bool, n int) Interval {
	return Interval{Center: v, Lo: v, Hi: v, JointLo: v, JointHi: v, Relative: relative, N: n}
}

// Samples is the interval around center of two samples of fixed sizes, of which
// the smaller has n values. bounds gives their interval for an error rate. The
// joint interval is omitted if the interval at alpha contains 0, which means no
// difference.
func Samples(center float64, relative bool, n int, alpha float64, family int, bounds func(misrate float64) (lo, hi float64, err error)) Interval {
	at := func(misrate float64) (lo, hi float64) {
		lo, hi, err := bounds(misrate)
		if err != nil {
			return math.NaN(), math.NaN()
		}
		return lo, hi
	}
	iv := Interval{Center: center, JointLo: math.NaN(), JointHi: math.NaN(), Relative: relative, N: n}
	if iv.Lo, iv.Hi = at(alpha); iv.Excludes(0) {
		iv.JointLo, iv.JointHi = at(alpha / float64(max(family, 1)))
	}
	return iv
}

// tolerance is δ on the scale of the interval. Differences in units have no
// percentage. For them, only an interval that is the point 0 is the same.
func (iv Interval) tolerance(delta float64) float64 {
	if !iv.Relative {
		return 0
	}
	return math.Log1p(delta)
}

// Known reports whether both ends are known.
func (iv Interval) Known() bool {
	return !math.IsNaN(iv.Lo-iv.Hi) && !math.IsInf(iv.Lo, 0) && !math.IsInf(iv.Hi, 0)
}

// Excludes reports whether the interval is known to be entirely above or below
// v.
func (iv Interval) Excludes(v float64) bool { return iv.Lo > v || iv.Hi < v }

// Same reports whether every difference in the interval is within delta. If the
// truth is delta, Same is wrong at a rate of at most α/2. If delta is 0, only
// the point 0 is the same.
func (iv Interval) Same(delta float64) bool {
	x := iv.tolerance(delta)
	if x == 0 {
		return iv.Lo == 0 && iv.Hi == 0
	}
	return iv.Lo > -x && iv.Hi < x
}

// Verdict reads the interval. It is same if the interval is within delta,
// whether or not it excludes 0. It is faster or slower, or changed if the
// direction is unknown, if the interval excludes 0 and that is proven after the
// adjustment for the family. Otherwise it is undecided.
func (iv Interval) Verdict(delta float64, better unit.Direction, proven bool) result.Verdict {
	switch {
	case iv.Same(delta):
		return result.Same
	case !proven || !iv.Excludes(0):
		return result.Undecided
	case better == unit.Unknown:
		return result.Different
	case (iv.Lo > 0) == (better == unit.HigherIsBetter):
		return result.Faster
	}
	return result.Slower
}

// Gate reads the interval as "no regression beyond the limit". It is a pass if
// the far end excludes a regression, a regression if the joint interval is
// completely beyond the limit, and open otherwise. A pass needs no adjustment
// for the family, since the gate passes only if all rows do. A regression
// needs it.
//
// A difference in units has no percentage: only a row that is not worse at all
// passes. If the direction is unknown, every change is a regression.
func (iv Interval) Gate(limit float64, better unit.Direction) Gate {
	pass := [2]float64{iv.Lo, iv.Hi}
	if iv.Pass != nil {
		pass = *iv.Pass
	}
	hi, lo := pass[1], iv.JointLo
	switch better {
	case unit.HigherIsBetter:
		hi, lo = -pass[0], -iv.JointHi
	case unit.Unknown:
		hi, lo = max(pass[1], -pass[0]), max(iv.JointLo, -iv.JointHi)
	}
	x := iv.tolerance(limit)
	switch {
	case hi < x || x == 0 && hi == 0:
		return Pass
	case lo > x:
		return Regression
	}
	return Open
}

// settled reports whether measuring may end. The verdict or, under a gate, the
// outcome of the row will not change any more.
func (iv Interval) settled(delta float64, better unit.Direction, gate bool) bool {
	if gate {
		return iv.Gate(delta, better) != Open
	}
	return iv.Verdict(delta, better, iv.JointLo > 0 || iv.JointHi < 0) != result.Undecided
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

// Unknown is the estimate of a variant without numbers.
func Unknown() result.Estimate {
	return result.Estimate{Center: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
}

// finite turns an infinite end, which is no limit, into NaN.
func finite(v float64) float64 {
	if math.IsInf(v, 0) {
		return math.NaN()
	}
	return v
}

// Exact fills a row whose variants are both constant over n and m replicates. A
// difference has a p-value: see [exactP].
func Exact(row *result.BenchmarkComparison, old, new float64, n, m int) {
	row.Exact = true
	row.Old = result.Estimate{Center: old, Lo: old, Hi: old, N: n}
	row.New = result.Estimate{Center: new, Lo: new, Hi: new, N: m}
	difference := exactInterval(new-old, false, min(n, m))
	row.Change = difference.Change()
	switch {
	case old == new:
		row.Change = result.Change{Ratio: 1, Lo: 1, Hi: 1}
	case old > 0 && new > 0:
		r := new / old
		row.Change = result.Change{Ratio: r, Lo: r, Hi: r}
	}
	row.Verdict = difference.Verdict(0, row.Direction(), true)
	if old != new {
		p := exactP(min(n, m))
		row.P = &p
	}
}

// Needed estimates how many replicates in all would settle an undecided row
// with n replicates. The half-width h shrinks as 1/√n. It settles the row when
// it falls below the distance from the center to 0, or to the far end of ±x,
// whichever comes first: n·(h/max(|θ|, x−|θ|))². At θ = 0 this is n·(h/x)².
// Needed is 0 if the number is unknown.
func (iv Interval) Needed(delta, n float64) int {
	h := (iv.Hi - iv.Lo) / 2
	way := max(math.Abs(iv.Center), iv.tolerance(delta)-math.Abs(iv.Center))
	if math.IsInf(h, 0) || math.IsNaN(h) || !(way > 0) {
		return 0
	}
	need := math.Ceil(n * (h / way) * (h / way))
	if need > math.MaxInt32 {
		return 0
	}
	return max(int(need), int(n)+1)
}

// Measured distinguishes units that are read from a clock from counts. Clock
// readings have noise even if a few of them agree.
func Measured(u string) bool {
	switch unit.Quantity(u) {
	case "sec", "ns":
		return true
	}
	return unit.Better(u) == unit.HigherIsBetter
}

// Band is the word for a relative spread: 1 to 2% is good, 3 to 5% fair, and
// above that the setup is unstable.
func Band(spread float64) string {
	switch {
	case spread <= 0.02:
		return "good"
	case spread <= 0.05:
		return "fair"
	}
	return "unstable"
}
