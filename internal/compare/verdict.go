package compare

import (
	"math"

	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/stats"
	"github.com/tarebench/tare/unit"
)

// verdict reads the interval [lo, hi] of new against old, on the scale where
// no difference is 0 and the tolerance is ±x.
func verdict(lo, hi, x float64, better unit.Direction) result.Verdict {
	if better == unit.HigherIsBetter {
		lo, hi = -hi, -lo
	}
	switch {
	case hi < 0:
		return result.Faster
	case lo > 0:
		return result.Slower
	case lo >= -x && hi <= x: // and 0 lies in it
		return result.Same
	}
	return result.Undecided
}

// change is the decision as new/old, or as a difference in the unit.
func change(d stats.Decision, relative bool) result.Change {
	if !relative {
		c := unknownChange()
		c.Difference = &result.Estimate{Center: d.Center, Lo: finite(d.Lo), Hi: finite(d.Hi), N: d.Units}
		return c
	}
	return result.Change{Ratio: math.Exp(d.Center), Lo: math.Exp(finite(d.Lo)), Hi: math.Exp(finite(d.Hi))}
}

func unknownChange() result.Change {
	return result.Change{Ratio: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
}

// finite turns the infinite end of an interval that is not one into NaN.
func finite(v float64) float64 {
	if math.IsInf(v, 0) {
		return math.NaN()
	}
	return v
}

// exact fills a row whose sides are both constant.
func exact(row *result.BenchmarkComparison, old, new float64, n int) {
	row.Exact = true
	row.Old = result.Estimate{Center: old, Lo: old, Hi: old, N: n}
	row.New = result.Estimate{Center: new, Lo: new, Hi: new, N: n}
	difference := new - old
	switch {
	case old == new:
		row.Change = result.Change{Ratio: 1, Lo: 1, Hi: 1}
	case old > 0 && new > 0:
		r := new / old
		row.Change = result.Change{Ratio: r, Lo: r, Hi: r}
	default:
		row.Change = unknownChange()
		row.Change.Difference = &result.Estimate{Center: difference, Lo: difference, Hi: difference, N: n}
	}
	row.Verdict = verdict(difference, difference, 0, unit.Better(row.Unit))
}

// level is the typical value of one side with its interval over the units of
// analysis: the Hodges–Lehmann centre of the block medians, of their
// logarithms where all are positive.
func level(s series, layout []int, alpha float64) result.Estimate {
	p := pairing{layout: layout, spread: make([]float64, len(s))}
	m := s.medians()
	relative := positive(m)
	if relative {
		for i, v := range m {
			m[i] = math.Log(v)
		}
	}
	x := p.look(len(m), m).Center
	e := result.Estimate{Center: stats.Center(x), Lo: math.NaN(), Hi: math.NaN(), N: len(x)}
	if lo, hi, err := stats.CenterBounds(x, alpha); err == nil {
		e.Lo, e.Hi = lo, hi
	}
	if relative {
		e.Center, e.Lo, e.Hi = math.Exp(e.Center), math.Exp(e.Lo), math.Exp(e.Hi)
	}
	return e
}

// needed estimates how many blocks in all would settle an undecided row: the
// half-width h shrinks as 1/√n, and settles it when it falls below the way
// from the centre to 0, or to the far end of ±x, whichever comes first:
// n·(h/max(|θ|, x−|θ|))². At θ = 0 this is n·(h/x)².
func needed(d stats.Decision, x float64, blocks int) int {
	h := (d.Hi - d.Lo) / 2
	way := max(math.Abs(d.Center), x-math.Abs(d.Center))
	if math.IsInf(h, 0) || math.IsNaN(h) || !(way > 0) {
		return 0
	}
	n := math.Ceil(float64(blocks) * (h / way) * (h / way))
	if n > math.MaxInt32 {
		return 0
	}
	return max(int(n), blocks+1)
}
