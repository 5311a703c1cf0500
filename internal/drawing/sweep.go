package drawing

import (
	"fmt"
	"io"
	"math"
	"slices"
)

// Curve is one benchmark over the settings of a parameter.
type Curve struct {
	Name   string
	Points []Point
}

// SweepOptions hold for a sweep.
type SweepOptions struct {
	Options
	// Param names the parameter: "size".
	Param string
	// Label renders a setting on the axis; nil writes the number ("1k").
	Label func(param float64) string
}

// Sweep draws a value against a parameter on logarithmic axes, with the power
// law of [FitPowerLaw] dashed through each curve and its exponent with
// interval in the legend. Points that are not positive are left out.
func Sweep(w io.Writer, o SweepOptions, curves ...Curve) error {
	drawn := make([]Curve, 0, len(curves))
	var params []float64
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, c := range curves {
		c.Points = slices.DeleteFunc(slices.Clone(c.Points), func(p Point) bool {
			return !(p.Param > leastLog && p.Value > leastLog && finite(p.Param) && finite(p.Value))
		})
		if len(c.Points) == 0 {
			continue
		}
		slices.SortStableFunc(c.Points, func(a, b Point) int {
			switch {
			case a.Param < b.Param:
				return -1
			case a.Param > b.Param:
				return 1
			}
			return 0
		})
		for _, p := range c.Points {
			params = append(params, p.Param)
			lo, hi = min(lo, p.Value), max(hi, p.Value)
			if p.Lo > leastLog && finite(p.Hi) {
				lo, hi = min(lo, p.Lo), max(hi, p.Hi)
			}
		}
		drawn = append(drawn, c)
	}
	if len(drawn) == 0 {
		return ErrNoValues
	}
	laws, legend := laws(o.Param, drawn)
	width, height := o.size(800, 420+18*float64(max(0, len(legend)-4)))
	height = max(height, headHeight+18*float64(len(legend))+4+leastPanel)
	p := newPicture(width, height, o.Title)
	top := p.head(o.Title, nil, nil)
	for i, line := range legend {
		var dot path
		dot.mark(16, top+10, i/len(palette))
		p.stroke(dot.String(), hue(i), 8, "", 1)
		p.text(30, top+14, "start", ink, 12, false, clip(line, width-50, 12))
		top += 18
	}
	for i, law := range laws {
		if law == nil {
			continue
		}
		points := drawn[i].Points
		for _, p := range []Point{points[0], points[len(points)-1]} {
			if v := law.At(p.Param); v > leastLog && finite(v) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	lo, hi = padded(lo, hi, true)
	y := valueAxis(o.unit(), lo, hi, true, 6)
	f := newFrame(p, 0, top+4, width, height-top-4, *paramAxis(o, params), *y, o.Param, "value")
	for i, c := range drawn {
		f.curve(c, laws[i], hue(i), i/len(palette))
	}
	return p.finish(w)
}

// laws fits every curve and writes its line of the legend.
func laws(param string, curves []Curve) ([]*PowerLaw, []string) {
	if param == "" {
		param = "n"
	}
	laws := make([]*PowerLaw, len(curves))
	legend := make([]string, len(curves))
	for i, c := range curves {
		legend[i] = c.Name
		law, err := FitPowerLaw(c.Points)
		if err != nil {
			continue // one setting: a point without a law
		}
		laws[i] = &law
		legend[i] += fmt.Sprintf(" grows as %s^%s", param, hundredths(law.Exponent))
		if finite(law.Lo) {
			legend[i] += fmt.Sprintf(" (95%%: %s to %s; %d settings)", hundredths(law.Lo), hundredths(law.Hi), len(c.Points))
		} else {
			legend[i] += " (two settings: no interval)"
		}
	}
	return laws, legend
}

// hundredths has no sign where it shows zero.
func hundredths(v float64) string { return fmt.Sprintf("%.2f", math.Round(v*100)/100+0) }

// paramAxis has a tick at each setting, thinned out where they crowd.
func paramAxis(o SweepOptions, params []float64) *axis {
	slices.Sort(params)
	params = slices.Compact(params)
	label := o.Label
	if label == nil {
		label = countLabel
	}
	lo, hi := params[0], params[len(params)-1]
	if lo == hi {
		lo, hi = lo/2, hi*2
	}
	lo, hi = padded(lo, hi, true)
	a := &axis{lo: lo, hi: hi, log: true}
	for _, v := range params {
		a.ticks = append(a.ticks, tick{v, label(v)})
	}
	return a
}

func (f *frame) curve(c Curve, law *PowerLaw, s style, cycle int) {
	if law != nil {
		first, last := c.Points[0].Param, c.Points[len(c.Points)-1].Param
		if a, b := law.At(first), law.At(last); a > leastLog && b > leastLog && finite(a) && finite(b) {
			f.stroke(segment(f.x.at(first), f.y.at(a), f.x.at(last), f.y.at(b)), s, 1.4, "5 4", 0.8)
		}
	}
	var dots, bars path
	for _, p := range c.Points {
		x := f.x.at(p.Param)
		dots.mark(x, f.y.at(p.Value), cycle)
		if p.Lo > leastLog && finite(p.Lo) && finite(p.Hi) {
			bars.move()
			bars.to(x, f.y.at(p.Lo))
			bars.to(x, f.y.at(p.Hi))
		}
	}
	f.stroke(bars.String(), s, 2, "", 0.8)
	f.stroke(dots.String(), s, 8, "", 1)
}
