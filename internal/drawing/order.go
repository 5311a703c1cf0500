package drawing

import (
	"io"
	"slices"
)

// RunOrder draws each measurement in the order in which it was taken. It shows
// drift, warm-up and garbage collection. Above 6,000 points, bands contain most
// of them, the extremes are exact, and a line joins the medians. For more than
// two such series only the lines are drawn. Series of histogram buckets have no
// order and are omitted.
func RunOrder(w io.Writer, o Options, series ...Series) error {
	return draw(w, o, series, 320, (*picture).runOrder)
}

// runOrder reports whether any series has an order to draw.
func (p *picture) runOrder(o Options, all []*sample, top, height float64) bool {
	longest, points := 0, 0
	for _, s := range all {
		longest, points = max(longest, len(s.order)), points+len(s.order)
	}
	if longest == 0 {
		return false
	}
	y := wholeAxis(o.unit(), all)
	x := axis{lo: 0, hi: float64(longest)}
	for _, t := range linearTicks(0, float64(longest), 8) {
		if t.at == float64(int(t.at)) {
			x.ticks = append(x.ticks, tick{t.at, countLabel(t.at)})
		}
	}
	f := newFrame(p, top, height, x, *y, "measurement, in run order", "each measurement")
	dense := points > mostDots
	switch {
	case dense && y.log && len(all) > 2:
		f.note("medians; logarithmic axis")
	case dense && len(all) > 2:
		f.note("medians")
	case y.log:
		f.note("logarithmic axis")
	}
	for i, s := range all {
		if s.order == nil {
			continue
		}
		if !dense {
			f.dots(s, hue(i), i/len(palette), longest)
		} else {
			f.clouds(s, hue(i), i/len(palette), len(all))
		}
	}
	return true
}

const mostDots = 6000

func (f *frame) dots(s *sample, color style, cycle, longest int) {
	size := 4.0
	if longest > 300 || cycle > 0 {
		size = 3
	}
	var d path
	for i, v := range s.order {
		d.mark(f.x.at(float64(i)+0.5), f.y.at(v), cycle)
	}
	f.stroke(d.String(), color, size, "", 0.7)
}

const columnValues = 30

// bands are the shares of a column between which a band is drawn, each on top
// of the previous one.
var bands = [...][2]float64{{0.05, 0.95}, {0.25, 0.75}}

// clouds draws a dense series in columns: bands of most values, points for the
// extremes, and a line of the medians.
func (f *frame) clouds(s *sample, color style, cycle, series int) {
	space := f.x.at(float64(len(s.order))) - f.x.from
	n := max(1, min(int(space), len(s.order)/columnValues))
	width := space / float64(n)
	var levels [len(bands)]path
	var extremes, medians path
	for i := range n {
		x := f.x.from + (float64(i)+0.5)*width
		at := columnQuantiles(s.order[i*len(s.order)/n : (i+1)*len(s.order)/n])
		for level, b := range bands {
			levels[level].b.WriteString("M" + number(x) + " " + number(f.y.at(at(b[0]))) + "V" + number(f.y.at(at(b[1]))))
		}
		extremes.dot(x, f.y.at(at(0)))
		extremes.dot(x, f.y.at(at(1)))
		medians.to(x, f.y.at(at(0.5)))
	}
	if series <= 2 {
		f.stroke(extremes.String(), color, 1.6, "", 0.7)
		faint := 0.5 / float64(series)
		for _, level := range levels {
			f.stroke(level.String(), color, width, "", faint)
		}
	}
	f.stroke(medians.String(), color, 1.6, dash(cycle*len(palette)), 1)
}

// columnQuantiles returns the quantiles of some values. The extremes are exact.
// A thousand values determine the others, which is exact to a pixel.
func columnQuantiles(values []float64) func(share float64) float64 {
	const enough = 1000
	some := []float64{slices.Min(values), slices.Max(values)}
	for i := 0; i < len(values); i += 1 + len(values)/enough {
		some = append(some, values[i])
	}
	slices.Sort(some)
	return func(share float64) float64 { return some[int(share*float64(len(some)-1))] }
}
