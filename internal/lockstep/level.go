package lockstep

import (
	"math"

	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/stats"
)

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
