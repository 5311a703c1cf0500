package html

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

type stripAxis struct {
	half  float64 // greatest |ln ratio| shown
	delta float64
}

const stripWidth, stripHeight = 150, 16

// bands is the most times ±δ that the axis covers in each direction, so that
// the band is at least a tenth of the strip.
const bands = 5

// newStripAxis returns an axis that covers most changes and keeps the band
// visible. A change beyond the axis ends in an arrow.
func newStripAxis(c *result.Comparison) stripAxis {
	var reach []float64
	for i := range c.Benchmarks {
		if c.Benchmarks[i].Exact {
			continue
		}
		ch := c.Benchmarks[i].Change
		for _, v := range []float64{ch.Lo, ch.Hi} {
			if words.Known(v) && v > 0 {
				reach = append(reach, math.Abs(math.Log(v)))
			}
		}
	}
	delta := math.Log1p(c.Delta)
	a := stripAxis{half: max(2.5*delta, 0.01), delta: c.Delta}
	if len(reach) > 0 {
		slices.Sort(reach)
		a.half = max(a.half, min(reach[len(reach)-1]*1.05, 4*reach[len(reach)*3/4]))
	}
	if delta > 0 {
		a.half = min(a.half, bands*delta)
	}
	return a
}

func (a stripAxis) x(ratio float64) float64 {
	share := 0.5 + math.Log(ratio)/a.half/2
	return 4 + max(0, min(share, 1))*(stripWidth-8)
}

func (a stripAxis) style() string {
	if a.half == 0 {
		return ""
	}
	lo, hi := a.x(1/(1+a.delta))/stripWidth*100, a.x(1+a.delta)/stripWidth*100
	return fmt.Sprintf(".strip{background:linear-gradient(90deg,transparent %.2f%%,var(--band) %.2f%% 49.5%%,var(--muted) 49.5%% 50.5%%,var(--band) 50.5%% %.2f%%,transparent %.2f%%)}", lo, lo, hi, hi)
}

// strip draws a change with its interval. Its markup contains only numbers.
func (a stripAxis) strip(c result.Change) markup {
	if !words.Known(c.Ratio) || c.Ratio <= 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class=strip width=%d height=%d aria-hidden=true>`, stripWidth, stripHeight)
	const y = stripHeight / 2
	if words.Known(c.Lo) && words.Known(c.Hi) && c.Lo > 0 {
		fmt.Fprintf(&b, `<path d="M%.1f %dH%.1f"/>`, a.x(c.Lo), y, a.x(c.Hi))
	}
	switch reach := math.Log(c.Ratio); {
	case reach > a.half:
		fmt.Fprintf(&b, `<path class=beyond d="M%d %dl8 4l-8 4z"/>`, stripWidth-9, y-4)
	case reach < -a.half:
		fmt.Fprintf(&b, `<path class=beyond d="M9 %dl-8 4l8 4z"/>`, y-4)
	default:
		fmt.Fprintf(&b, `<circle cx=%.1f cy=%d r=3.5 />`, a.x(c.Ratio), y)
	}
	b.WriteString("</svg>")
	return markup(b.String())
}
