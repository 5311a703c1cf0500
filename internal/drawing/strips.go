package drawing

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/tarebench/tare/internal/unit"
)

// Strip is one benchmark of a comparison.
type Strip struct {
	Name string
	// Unit is the base unit of Old and New.
	Unit string
	// Old and New are the measurements of both variants. Either may be empty.
	Old, New []float64
	// OldValue and NewValue are the values that the row shows. If both are 0,
	// it shows the medians of Old and New.
	OldValue, NewValue float64
	// Ratio is new/old with its interval [Lo, Hi]. NaN means unknown.
	Ratio, Lo, Hi float64
	// Verdict is the word at the end of the row. "faster", "slower", "same" and
	// "undecided" set the color. Any other word is gray.
	Verdict string
}

// StripOptions apply to all strips.
type StripOptions struct {
	Title string
	// Delta is half the width of the band around no change: 0.02 is ±2%.
	Delta float64
	// Old and New label the two variants.
	Old, New string
}

// MaxStrips is the maximum number of rows that Strips draws. It keeps the rows
// with the greatest changes, in their order, and a note counts the rest.
const MaxStrips = 120

const stripHeight = 46

// Strips draws a row per benchmark. First come the distributions of both
// variants on the row's own axis (old above, new below, to the 95% quantile).
// Then comes the change with its interval against the ±δ band, on an axis that
// all rows share.
func Strips(w io.Writer, o StripOptions, rows ...Strip) error {
	if len(rows) == 0 {
		return ErrNoValues
	}
	left := len(rows)
	rows = greatest(rows, MaxStrips)
	left -= len(rows)
	const width = 960.0
	title := cmp.Or(o.Title, o.New+" against "+o.Old)
	head := 62.0
	height := head + stripHeight*float64(len(rows)) + 40
	p := newPicture(width, height, title)
	p.text(10, 21, "start", ink, 14, true, clip(title, width-20, bold*14))
	// Columns: name and values | distributions | change | verdict.
	distributions, changes, verdicts := 0.25*width, 0.5*width, width-118
	p.legend(distributions, 46, clip(o.Old, 110, 11), clip(o.New, 110, 11))
	x := changeAxis(o.Delta, rows)
	x.from, x.to = changes+24, verdicts-24
	bottom := head + stripHeight*float64(len(rows))
	p.changeGrid(x, o.Delta, head, bottom)
	for i, row := range rows {
		y := head + stripHeight*float64(i)
		p.stroke(segment(10, y, width-10, y), grid, 1, "", 1)
		p.text(10, y+20, "start", ink, 12, true, clip(row.Name, distributions-26, bold*12))
		sides := []*sample{prepareOrder(o.Old, row.Old), prepareOrder(o.New, row.New)}
		p.text(10, y+36, "start", muted, 11, false, clip(stripValues(row, sides[0], sides[1]), distributions-20, 11))
		p.pair(row.Unit, sides, distributions, changes-8, y)
		p.change(row, x, y+stripHeight/2, verdicts, width-10)
	}
	if left > 0 {
		p.text(10, bottom+30, "start", muted, 11, false, fmt.Sprintf("%d more with smaller changes are not drawn", left))
	}
	return p.finish(w)
}

func (p *picture) legend(x, y float64, sides ...string) {
	for i, name := range sides {
		p.stroke(segment(x+2, y-4, x+12, y-4), hue(sideHue[i]), 4, "", 1)
		p.text(x+18, y, "start", muted, 11, false, name)
		x += 34 + textWidth(name, 11)
	}
}

var sideHue = [2]int{5, 0}

func greatest(rows []Strip, n int) []Strip {
	if len(rows) <= n {
		return rows
	}
	index := make([]int, len(rows))
	for i := range index {
		index[i] = i
	}
	size := func(i int) float64 {
		if s := math.Abs(math.Log(rows[i].Ratio)); !math.IsNaN(s) {
			return s
		}
		return -1
	}
	slices.SortStableFunc(index, func(a, b int) int { return cmp.Compare(size(b), size(a)) })
	index = index[:n]
	slices.Sort(index)
	out := make([]Strip, n)
	for k, i := range index {
		out[k] = rows[i]
	}
	return out
}

// changeAxis covers every interval on a logarithmic axis of ratios. A few
// extreme rows do not stretch it. They leave it with an arrow.
func changeAxis(delta float64, rows []Strip) *axis {
	var reach []float64
	for _, r := range rows {
		far := 0.0
		for _, v := range []float64{r.Ratio, r.Lo, r.Hi} {
			if v > 0 && finite(v) {
				far = max(far, math.Abs(math.Log(v)))
			}
		}
		reach = append(reach, far)
	}
	slices.Sort(reach)
	half := max(reach[len(reach)-1]*1.08, 2*math.Log1p(delta), math.Log(1.01))
	if usual := reach[len(reach)*3/4] * 2; usual > 0 && half > 2*usual && len(rows) >= 4 {
		half = max(usual, 2*math.Log1p(delta))
	}
	half = min(half, math.Log(1000))
	a := &axis{lo: math.Exp(-half), hi: math.Exp(half), log: true}
	if half > math.Log(3) {
		for _, v := range []float64{0.001, 0.01, 0.1, 0.5, 1, 2, 10, 100, 1000} {
			if v >= a.lo && v <= a.hi {
				a.ticks = append(a.ticks, tick{v, "×" + trimNumber(v)})
			}
		}
		return a
	}
	for _, t := range linearTicks(-math.Expm1(half)*100, math.Expm1(half)*100, 6) {
		if ratio := 1 + t.at/100; ratio >= a.lo && ratio <= a.hi {
			label := t.label + "%"
			if t.at > 0 {
				label = "+" + label
			}
			a.ticks = append(a.ticks, tick{ratio, label})
		}
	}
	return a
}

func (p *picture) changeGrid(x *axis, delta, top, bottom float64) {
	if delta > 0 {
		from, to := x.at(1/(1+delta)), x.at(1+delta)
		p.rect(from, top, to-from, bottom-top, band, 1)
		p.text((from+to)/2, top-22, "middle", muted, 11, false, fmt.Sprintf("±%s%% counts as same", trimNumber(delta*100)))
	}
	for _, t := range x.ticks {
		p.stroke(segment(x.at(t.at), top, x.at(t.at), bottom), grid, 1, "", 1)
		p.text(x.at(t.at), top-6, "middle", muted, 11, false, t.label)
	}
	p.stroke(segment(x.at(1), top, x.at(1), bottom), muted, 1, "", 0.8)
	p.text(x.at(1), bottom+18, "middle", muted, 11, false, "← less     new / old     more →")
}

// stripValues describes the sides of a row. A side without values is nil.
func stripValues(r Strip, old, new *sample) string {
	switch {
	case old != nil && new != nil:
		a, b := r.OldValue, r.NewValue
		if a == 0 && b == 0 {
			a, b = old.quantile(0.5), new.quantile(0.5)
		}
		n := fmt.Sprintf(", n %d + %d", len(r.Old), len(r.New))
		if far := math.Abs(math.Log(a / b)); far > math.Log(1000) && finite(far) {
			return valueLabel(unit.Quantity(r.Unit), a) + " → " + valueLabel(r.Unit, b) + n
		}
		s := unit.Scaling(r.Unit, a, b)
		return s.Format(a) + " → " + s.Format(b) + " " + s.Label(r.Unit) + n
	case old != nil:
		return fmt.Sprintf("%s, n %d", valueLabel(r.Unit, old.quantile(0.5)), len(r.Old))
	case new != nil:
		return fmt.Sprintf("%s, n %d", valueLabel(r.Unit, new.quantile(0.5)), len(r.New))
	}
	return ""
}

func (p *picture) pair(base string, sides []*sample, from, to, y float64) {
	present := slices.DeleteFunc(slices.Clone(sides), func(s *sample) bool { return s == nil })
	if len(present) == 0 {
		return
	}
	x, _ := densityAxis(base, present, 0.95)
	x.from, x.to = from, to
	foot := y + stripHeight/2
	p.stroke(segment(from, foot, to, foot), grid, 1, "", 1)
	curves, most := kernelDensities(sides, x, int(to-from)/2)
	for i, s := range sides {
		if s == nil {
			continue
		}
		up := float64(1 - 2*i) // old up, new down
		height := (stripHeight/2 - 4) * up
		f := &frame{picture: p, x: *x, y: axis{from: foot, to: foot - height}}
		if s.few() {
			p.stroke(f.bars(s, height/2), hue(sideHue[i]), 1.2, "", 1)
		} else {
			shape, edge := f.ridge(curves[i], most)
			p.fill(shape, hue(sideHue[i]), 0.3)
			p.stroke(edge, hue(sideHue[i]), 1.2, "", 1)
		}
		m := x.at(x.clamp(s.quantile(0.5)))
		p.stroke(segment(m, foot, m, foot-height), hue(sideHue[i]), 1.6, "", 1)
	}
}

var verdictStyles = map[string]style{"faster": hue(2), "slower": hue(1), "undecided": hue(4)}

func (p *picture) change(r Strip, x *axis, y, words, end float64) {
	s := cmp.Or(verdictStyles[r.Verdict], muted)
	if finite(r.Lo) && finite(r.Hi) && r.Lo > 0 {
		p.stroke(segment(x.at(x.clamp(r.Lo)), y, x.at(x.clamp(r.Hi)), y), s, 3, "", 1)
		p.arrow(x.from, y, -1, s, r.Lo < x.lo)
		p.arrow(x.to, y, +1, s, r.Hi > x.hi)
	}
	if finite(r.Ratio) && r.Ratio > 0 {
		if r.Ratio >= x.lo && r.Ratio <= x.hi {
			var d path
			d.dot(x.at(r.Ratio), y)
			p.stroke(d.String(), s, 9, "", 1)
		}
		label := unit.SignedPercent(r.Ratio-1, 1)
		switch {
		case r.Ratio >= 11:
			label = "×" + trimNumber(math.Round(r.Ratio*10)/10)
		case label == "+0.0%":
			label = "0%"
		}
		p.text(words, y-2, "start", s, 13, true, label)
	}
	p.text(words, y+13, "start", muted, 11, false, clip(r.Verdict, end-words, 11))
}

func (p *picture) arrow(x, y, way float64, s style, wanted bool) {
	if !wanted {
		return
	}
	var d path
	d.to(x+9*way, y)
	d.to(x, y-5)
	d.to(x, y+5)
	p.fill(d.String()+"Z", s, 1)
}
