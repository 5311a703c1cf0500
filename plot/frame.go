package plot

import "math"

// Room around the plotting area, in pixels.
const (
	marginLeft, marginRight  = 64, 20
	marginTop, marginBottom  = 26, 34
	headHeight, legendHeight = 30, 22
)

// frame is the plotting area of one picture with its two axes.
type frame struct {
	*picture
	x, y axis
}

// newFrame lays the axes into the box (left, top, width, height) of p and
// draws grid, ticks and captions. The y axis points up.
func newFrame(p *picture, left, top, width, height float64, x, y axis, xCaption, yCaption string) *frame {
	f := &frame{picture: p, x: x, y: y}
	f.x.from, f.x.to = left+marginLeft, left+width-marginRight
	f.y.from, f.y.to = top+height-marginBottom, top+marginTop
	for _, t := range f.y.ticks {
		at := f.y.at(t.at)
		f.stroke(segment(f.x.from, at, f.x.to, at), grid, 1, "", 1)
		f.text(f.x.from-8, at+4, "end", muted, 11, false, t.label)
	}
	f.stroke(segment(f.x.from, f.y.from, f.x.to, f.y.from), muted, 1, "", 0.6)
	last := math.Inf(-1)
	for _, t := range f.x.ticks {
		at, half := f.x.at(t.at), textWidth(t.label, 11)/2
		f.stroke(segment(at, f.y.from, at, f.y.from+4), muted, 1, "", 0.6)
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
	f.text(left+10, f.y.to-11, "start", muted, 11, false, yCaption)
	f.text(f.x.to, f.y.from+31, "end", muted, 11, false, xCaption)
	return f
}

// note writes a remark at the top right of the plotting area.
func (f *frame) note(s string) {
	if s != "" {
		f.text(f.x.to, f.y.to-11, "end", muted, 11, false, s)
	}
}

// head draws the title and, for more than one series, the legend; it returns
// the height taken.
func (p *picture) head(title string, names []string) float64 {
	top := 8.0
	if title != "" {
		p.text(10, 21, "start", ink, 14, true, clip(title, p.width-20, 14))
		top = headHeight
	}
	if len(names) < 2 {
		return top
	}
	x, y := 10.0, top+14
	for i, name := range names {
		name = clip(name, 260, 12)
		w := 26 + textWidth(name, 12)
		if x+w > p.width-10 && x > 10 {
			x, y = 10, y+legendHeight-4
		}
		p.stroke(segment(x+2, y-4, x+14, y-4), hue(i), 4, "", 1)
		p.text(x+20, y, "start", ink, 12, false, name)
		x += w + 12
	}
	return y + 8
}

func names(all []*sample) []string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = s.name
	}
	return out
}

// single is the page title: that of the options, or the only series' name.
func (o Options) title(all []*sample) string {
	if o.Title == "" && len(all) == 1 {
		return all[0].name
	}
	return o.Title
}

func (o Options) unit() string {
	if o.Unit == "" {
		return "sec"
	}
	return o.Unit
}

func (o Options) size(width, height float64) (w, h float64) {
	w, h = width, height
	if o.Width > 0 {
		w = float64(max(o.Width, 240))
	}
	if o.Height > 0 {
		h = float64(max(o.Height, 120))
	}
	return w, h
}

// spread is the least and greatest value of all series.
func spread(all []*sample) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, s := range all {
		lo, hi = min(lo, s.min()), max(hi, s.max())
	}
	return lo, hi
}

// longTail says that a linear axis would crush the body of the data: the
// greatest value is more than ten times the greatest median, or that more than
// ten times the least one. A logarithmic axis needs positive values.
func longTail(all []*sample, lo, hi float64) bool {
	least, middle := math.Inf(1), 0.0
	for _, s := range all {
		m := s.quantile(0.5)
		least, middle = min(least, m), max(middle, m)
	}
	return lo > leastLog && middle > 0 && (hi > 10*middle || middle > 10*least)
}

// leastLog is the smallest value that a logarithmic axis starts at.
const leastLog = 1e-200

// padded widens a range by a twentieth on both sides, in the measure of its
// axis, and does not cross zero where the values do not.
func padded(lo, hi float64, log bool) (float64, float64) {
	if log {
		f := math.Pow(hi/lo, 0.05)
		return lo / f, hi * f
	}
	pad := (hi - lo) * 0.05
	low := lo - pad
	if lo >= 0 && low < 0 {
		low = 0
	}
	return low, hi + pad
}
