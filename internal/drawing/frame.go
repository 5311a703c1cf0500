package drawing

import (
	"cmp"
	"math"
	"strconv"
)

// Room around the plotting area, in pixels.
const (
	marginLeft, marginRight  = 64, 20
	marginTop, marginBottom  = 26, 34
	headHeight, legendHeight = 30, 22
)

type frame struct {
	*picture
	x, y    axis
	caption float64 // end of the caption of the y axis
}

// newFrame lays the axes into p, from top on, and draws grid, ticks and captions.
// The y axis points up.
func newFrame(p *picture, top, height float64, x, y axis, xCaption, yCaption string) *frame {
	f := &frame{picture: p, x: x, y: y}
	room := float64(marginLeft)
	for _, t := range f.y.ticks {
		room = max(room, min(textWidth(t.label, 11)+12, p.width/3))
	}
	f.x.from, f.x.to = room, p.width-marginRight
	f.y.from, f.y.to = top+height-marginBottom, top+marginTop
	lowest := math.Inf(1)
	for _, t := range f.y.ticks {
		at := f.y.at(t.at)
		f.stroke(segment(f.x.from, at, f.x.to, at), grid, 1, "", 1)
		if at > lowest-12 {
			continue // labels would touch
		}
		lowest = at
		f.text(f.x.from-8, at+4, "end", muted, 11, false, t.label)
	}
	f.stroke(segment(f.x.from, f.y.from, f.x.to, f.y.from), muted, 1, "", 0.6)
	last := math.Inf(-1)
	for _, t := range f.x.ticks {
		at, half := f.x.at(t.at), textWidth(t.label, 11)/2
		f.stroke(segment(at, f.y.from, at, f.y.from+4), muted, 1, "", 0.6)
		at = max(half+2, min(at, p.width-half-2)) // inside the picture
		if at-half < last+4 {
			continue // labels would touch
		}
		f.text(at, f.y.from+17, "middle", muted, 11, false, t.label)
		last = at + half
	}
	if f.x.unit != "" {
		xCaption += " [" + f.x.unit + "]"
	}
	if f.y.unit != "" {
		yCaption += " [" + f.y.unit + "]"
	}
	f.caption = 10 + textWidth(yCaption, 11)
	f.text(10, f.y.to-11, "start", muted, 11, false, yCaption)
	f.text(f.x.to, f.y.from+31, "end", muted, 11, false, clip(xCaption, f.x.to, 11))
	return f
}

func (f *frame) note(s string) {
	if f.x.to-textWidth(s, 11) > f.caption+8 {
		f.text(f.x.to, f.y.to-11, "end", muted, 11, false, s)
	}
}

// head draws the title and, for more than one series, the legend, each with the
// number of values. It returns the height taken.
func (p *picture) head(title string, all []*sample) float64 {
	top := 8.0
	right := p.width - 10
	if len(all) == 1 {
		n := "n " + grouped(all[0].total)
		p.text(right, 21, "end", muted, 11, false, n)
		right -= textWidth(n, 11) + 10
		top = headHeight
	}
	if title != "" {
		p.text(10, 21, "start", ink, 14, true, clip(title, right-10, bold*14))
		top = headHeight
	}
	if len(all) < 2 {
		return top
	}
	x, y := 10.0, top+14
	for i, s := range all {
		n := ", n " + grouped(s.total)
		name := clip(s.name, min(260, p.width-54-textWidth(n, 12)), 12) + n
		w := 34 + textWidth(name, 12)
		if x+w > p.width-10 && x > 10 {
			x, y = 10, y+legendHeight-4
		}
		p.stroke(segment(x+2, y-4, x+22, y-4), hue(i), legendWidth(i), dash(i), 1)
		p.text(x+28, y, "start", ink, 12, false, name)
		x += w + 12
	}
	return y + 8
}

const bold = 1.12

// legendWidth is the line width of series i in a legend. When colors repeat, it
// is thin enough to show the dashes.
func legendWidth(i int) float64 {
	if dash(i) == "" {
		return 4
	}
	return 2.5
}

func grouped(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func (o Options) title(all []*sample) string {
	if o.Title == "" && len(all) == 1 {
		return all[0].name
	}
	return o.Title
}

func (o Options) unit() string {
	return cmp.Or(o.Unit, "sec")
}

const mostPixels = 10_000

func (o Options) size(height float64) (w, h float64) {
	w, h = 800, height
	if o.Width > 0 {
		w = float64(min(max(o.Width, 240), mostPixels))
	}
	if o.Height > 0 {
		h = float64(min(o.Height, mostPixels))
	}
	return w, h
}

// leastPanel is the least height of a panel: its margins and a plotting area.
const leastPanel = marginTop + marginBottom + 40

func spread(all []*sample) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, s := range all {
		lo, hi = min(lo, s.min()), max(hi, s.max())
	}
	return lo, hi
}

// wholeAxis is an upright axis for all values. It is logarithmic if a linear one
// would crush the body of the data: the greatest value is more than ten times
// the greatest median, or the greatest median is more than ten times the least
// one. A logarithmic axis needs positive values.
func wholeAxis(base string, all []*sample) *axis {
	lo, hi := spread(all)
	least, middle := math.Inf(1), 0.0
	for _, s := range all {
		m := s.quantile(0.5)
		least, middle = min(least, m), max(middle, m)
	}
	log := lo > leastLog && middle > 0 && (hi > 10*middle || middle > 10*least)
	lo, hi = padded(lo, hi, log)
	return valueAxis(base, lo, hi, log, 5)
}

const leastLog = 1e-200

// padded widens a range by a twentieth on both sides, in the scale of its axis.
// It does not cross zero if the values do not.
func padded(lo, hi float64, log bool) (float64, float64) {
	if log {
		f := math.Exp(0.05 * (math.Log(hi) - math.Log(lo))) // hi/lo may be infinite
		return lo / f, hi * f
	}
	pad := (hi - lo) * 0.05
	low := lo - pad
	if lo >= 0 && low < 0 {
		low = 0
	}
	return low, hi + pad
}
