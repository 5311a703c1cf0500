package judge

import (
	"math"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// level is the typical value of one variant with its interval over the units of
// analysis. It is the Hodges–Lehmann center of the block medians, or of their
// logarithms if all are positive.
func level(s series, layout []int, alpha float64) result.Estimate {
	m := s.medians()
	relative := positive(m)
	if relative {
		for i, v := range m {
			m[i] = math.Log(v)
		}
	}
	x := pairing{typical: m, layout: layout}.whole().Center
	e := result.Estimate{Center: stats.Center(x), Lo: math.NaN(), Hi: math.NaN(), N: len(x)}
	if lo, hi, err := stats.CenterBounds(x, alpha); err == nil {
		e.Lo, e.Hi = lo, hi
	}
	if relative {
		e.Center, e.Lo, e.Hi = math.Exp(e.Center), math.Exp(e.Lo), math.Exp(e.Hi)
	}
	if v, same := s.same(); same { // a logarithm is rounded
		e.Center = v
	}
	return e
}

// sides moves the two levels so that new is old times the change (or old plus
// the difference). Only pairs show the change exactly. Each level moves
// halfway, with its interval, so that exchanging the variants changes nothing
// else.
func sides(old, new result.Estimate, iv Interval) (movedOld, movedNew result.Estimate) {
	if !iv.Relative {
		half := (iv.Center - (new.Center - old.Center)) / 2
		if old.Center >= 0 && new.Center >= 0 { // as many as there are, or none
			half = max(-new.Center, min(half, old.Center))
		}
		shift := func(e result.Estimate, by float64) result.Estimate {
			return result.Estimate{Center: e.Center + by, Lo: e.Lo + by, Hi: e.Hi + by, N: e.N}
		}
		return shift(old, -half), shift(new, half)
	}
	half := math.Sqrt(math.Exp(iv.Center) * old.Center / new.Center)
	scale := func(e result.Estimate, by float64) result.Estimate {
		return result.Estimate{Center: e.Center * by, Lo: e.Lo * by, Hi: e.Hi * by, N: e.N}
	}
	return scale(old, 1/half), scale(new, half)
}
