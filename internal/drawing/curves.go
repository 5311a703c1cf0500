package drawing

import (
	"io"
	"math"
)

// Curve are points of one variant by a number, and the line of their fit.
type Curve struct {
	Name string
	X, Y []float64
	// Line are the values of the fit at X. A nil Line draws none.
	Line []float64
}

// CurveOptions apply to a picture of curves.
type CurveOptions struct {
	Title string
	// X and Y are the captions, Unit is the base unit of the values.
	X, Y, Unit string
	// Diagonal adds the line y = x/x₀: a speed-up without loss.
	Diagonal bool
}

// Curves draws positive values by a positive number, both axes logarithmic.
func Curves(w io.Writer, o CurveOptions, all ...Curve) error {
	lo, hi := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{}
	for _, c := range all {
		for i, v := range [][]float64{c.X, c.Y} {
			for _, v := range v {
				if v > leastLog && finite(v) {
					lo[i], hi[i] = min(lo[i], v), max(hi[i], v)
				}
			}
		}
	}
	if !(hi[0] > 0 && hi[1] > 0) {
		return ErrNoValues
	}
	first, last := lo[0], hi[0]
	if o.Diagonal {
		hi[1] = max(hi[1], last/first)
	}
	for i := range lo {
		lo[i], hi[i] = padded(lo[i], hi[i], true)
		if lo[i] == hi[i] {
			lo[i], hi[i] = lo[i]/2, hi[i]*2
		}
	}
	const width, height = 640, 420
	p := newPicture(width, height, o.Title)
	p.text(10, 21, "start", ink, 14, true, clip(o.Title, width-20, bold*14))
	top := 46.0
	colors := []int{0}
	if len(all) == 2 {
		colors = sideHue[:]
	}
	for i, c := range all {
		p.stroke(segment(12, top-4, 32, top-4), hue(colors[i%len(colors)]), 4, "", 1)
		p.text(38, top, "start", ink, 12, false, clip(c.Name, width-50, 12))
		top += legendHeight - 4
	}
	x := axis{lo: lo[0], hi: hi[0], log: true}
	for _, v := range all[0].X {
		x.ticks = append(x.ticks, tick{v, countLabel(v)})
	}
	y := *valueAxis(o.Unit, lo[1], hi[1], true, 6)
	f := newFrame(p, top-8, height-top+8, x, y, o.X, o.Y)
	if o.Diagonal {
		p.stroke(segment(f.x.at(first), f.y.at(1), f.x.at(last), f.y.at(last/first)), muted, 1, "7 4", 1)
	}
	for i, c := range all {
		color := hue(colors[i%len(colors)])
		var line, dots path
		for k, v := range c.Y {
			if k < len(c.Line) && c.Line[k] > 0 {
				line.to(f.x.at(c.X[k]), f.y.at(f.y.clamp(c.Line[k])))
			}
			if v > 0 && finite(v) {
				dots.dot(f.x.at(c.X[k]), f.y.at(v))
			}
		}
		p.stroke(line.String(), color, 1.8, "", 1)
		p.stroke(dots.String(), color, 8, "", 1)
	}
	return p.finish(w)
}
