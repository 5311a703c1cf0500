package drawing

import (
	"io"
	"math"
)

// RunOrder draws each measurement in the order in which it was taken. It shows
// drift, warm-up and garbage collection. Above 6,000 points, a darker pixel
// represents more of them, the extremes are exact, and a line joins the
// medians. For more than two such series only the lines are drawn. Series of
// histogram buckets have no order and are omitted.
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
	points := 0
	for _, s := range all {
		points += len(s.order)
	}
	dense := points > mostDots
	switch {
	case dense && log && len(all) > 2:
		f.note("medians; logarithmic axis")
	case dense && len(all) > 2:
		f.note("medians")
	case log:
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

// mostDots is the maximum number of points that are drawn one by one.
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

// column contains the values of one column of pixels: the exact extremes, and
// the number of values in each row of pixels.
type column struct {
	lo, hi float64
	n      int
	rows   []int32
}

// row is the pixel row with a share q of the column below it.
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

// shades are the shares of a column above which a pixel is drawn darker, each
// on top of the previous one.
var shades = [...]float64{0, 0.004, 0.02, 0.08}

// clouds draws a dense series. Darkness shows the number of values, from a
// single one to most of the column, and a line shows the median.
func (f *frame) clouds(s *sample, color style, cycle, series int) {
	columns := f.columns(s)
	x := func(i int) float64 { return f.x.from + float64(i) + 0.5 }
	var levels [len(shades)]path
	for i := range columns {
		c := &columns[i]
		if c.n == 0 {
			continue
		}
		if series > 2 {
			continue
		}
		for level, share := range shades {
			f.runs(&levels[level], c, x(i), max(1, int32(math.Ceil(share*float64(c.n)))))
		}
	}
	faint := 0.3
	if series > 1 {
		faint = 0.2
	}
	for _, level := range levels {
		f.stroke(level.String(), color, 1, "", faint)
	}
	f.stroke(f.medians(columns), color, 1.6, dash(cycle*len(palette)), 1)
}

// medians joins the medians of the columns. Neighbors are combined until they
// have thirty values.
func (f *frame) medians(columns []column) string {
	var d path
	var sum column
	first := 0
	for i, c := range columns {
		if sum.rows == nil {
			sum.rows = make([]int32, len(c.rows))
			first = i
		}
		sum.n += c.n
		for row, n := range c.rows {
			sum.rows[row] += n
		}
		if sum.n >= 30 || i == len(columns)-1 && sum.n > 0 {
			d.to(f.x.from+float64(first+i+1)/2, f.y.from-sum.row(0.5))
			sum = column{}
		}
	}
	return d.String()
}

// runs draws the rows of a column with at least that many values.
func (f *frame) runs(d *path, c *column, x float64, least int32) {
	for row := 0; row < len(c.rows); row++ {
		if c.rows[row] < least {
			continue
		}
		end := row
		for end+1 < len(c.rows) && c.rows[end+1] >= least {
			end++
		}
		d.bar(x, f.y.from-float64(row), float64(row-end-1))
		row = end
	}
}

func (f *frame) columns(s *sample) []column {
	columns := make([]column, max(0, int(f.x.to-f.x.from)))
	rows := max(1, int(f.y.from-f.y.to))
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
		// At most twenty thousand values determine the shares, which is exact
		// to a pixel. The extremes use every value.
		stride := 1 + (end-begin)/20_000
		values := s.order[begin:end]
		c.lo, c.hi = values[0], values[0]
		for _, v := range values {
			c.lo, c.hi = min(c.lo, v), max(c.hi, v)
		}
		count := func(v float64) {
			row := int(f.y.from - f.y.at(v))
			c.rows[max(0, min(row, rows-1))]++
			c.n++
		}
		for j := 0; j < len(values); j += stride {
			count(values[j])
		}
		if stride > 1 {
			count(c.lo)
			count(c.hi)
		}
	}
	return columns
}
