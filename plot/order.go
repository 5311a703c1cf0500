package plot

import (
	"io"
)

// RunOrder draws each measurement in the order it was taken: drift, warm-up
// and garbage collection show here. Where points outnumber pixels it draws,
// per column of pixels, the whole range, the middle 80 %, and the median; the
// extremes are exact. Series of histogram buckets have no order and are left
// out.
func RunOrder(w io.Writer, o Options, series ...Series) error {
	return draw(w, o, series, 320, (*picture).runOrder)
}

// runOrder reports whether any series has an order to draw.
func (p *picture) runOrder(o Options, all []*sample, left, top, width, height float64) bool {
	longest := 0
	for _, s := range all {
		longest = max(longest, len(s.order))
	}
	if longest == 0 {
		return false
	}
	lo, hi := spread(all)
	log := longTail(all, lo, hi)
	lo, hi = padded(lo, hi, log)
	y := valueAxis(o.unit(), lo, hi, log, 5)
	x := axis{lo: 0, hi: float64(longest)}
	for _, t := range linearTicks(0, float64(longest), 8) {
		if t.at == float64(int(t.at)) {
			x.ticks = append(x.ticks, tick{t.at, countLabel(t.at)})
		}
	}
	f := newFrame(p, left, top, width, height, x, *y, "measurement, in run order", "each measurement")
	if log {
		f.note("logarithmic axis")
	}
	for i, s := range all {
		if s.order == nil {
			continue
		}
		if float64(longest) <= 2*(f.x.to-f.x.from) {
			f.dots(s, hue(i), longest)
		} else {
			f.envelope(s, hue(i), len(all))
		}
	}
	return true
}

func (f *frame) dots(s *sample, color style, longest int) {
	size := 4.0
	if longest > 300 {
		size = 3
	}
	var d path
	for i, v := range s.order {
		d.dot(f.x.at(float64(i)+0.5), f.y.at(v))
	}
	f.stroke(d.String(), color, size, "", 0.7)
}

// column gathers the values that fall into one column of pixels: the exact
// extremes, and counts per row of pixels for the quantiles.
type column struct {
	lo, hi float64
	n      int
	rows   []int32
}

// row is the pixel row below which a share q of the column lies.
func (c *column) row(q float64) float64 {
	need, seen := int(q*float64(c.n)), 0
	for i, n := range c.rows {
		seen += int(n)
		if seen > need {
			return float64(i) + 0.5
		}
	}
	return float64(len(c.rows)) - 0.5
}

func (f *frame) envelope(s *sample, color style, sides int) {
	columns := f.columns(s)
	x := func(i int) float64 { return f.x.from + float64(i) + 0.5 }
	var extremes, median path
	var upper, lower []float64
	var at []float64
	for i := range columns {
		c := &columns[i]
		if c.n == 0 {
			continue
		}
		extremes.move()
		extremes.to(x(i), f.y.at(c.lo))
		extremes.to(x(i), f.y.at(c.hi))
		median.to(x(i), f.y.from-c.row(0.5))
		at = append(at, x(i))
		lower = append(lower, f.y.from-c.row(0.1))
		upper = append(upper, f.y.from-c.row(0.9))
	}
	var body path
	for i := range at {
		body.to(at[i], upper[i])
	}
	for i := len(at) - 1; i >= 0; i-- {
		body.to(at[i], lower[i])
	}
	if len(at) > 0 {
		body.close()
	}
	faint := 0.3
	if sides > 1 {
		faint = 0.2
	}
	f.stroke(extremes.String(), color, 1, "", faint)
	f.fill(body.String(), color, faint+0.1)
	f.stroke(median.String(), color, 1.6, "", 1)
}

func (f *frame) columns(s *sample) []column {
	columns := make([]column, int(f.x.to-f.x.from))
	rows := int(f.y.from - f.y.to)
	cells := make([]int32, rows*len(columns))
	n := f.x.hi
	for i := range columns {
		c := &columns[i]
		c.rows = cells[i*rows : (i+1)*rows]
		begin := int(float64(i) / float64(len(columns)) * n)
		end := min(int(float64(i+1)/float64(len(columns))*n), len(s.order))
		if begin >= end {
			continue
		}
		// At most a few thousand values place the quantiles to a pixel; the
		// extremes look at every value.
		stride := 1 + (end-begin)/2000
		values := s.order[begin:end]
		c.lo, c.hi = values[0], values[0]
		for _, v := range values {
			c.lo, c.hi = min(c.lo, v), max(c.hi, v)
		}
		for j := 0; j < len(values); j += stride {
			row := int(f.y.from - f.y.at(values[j]))
			c.rows[max(0, min(row, rows-1))]++
			c.n++
		}
	}
	return columns
}
