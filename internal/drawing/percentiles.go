package drawing

import (
	"io"
	"math"
	"sort"
)

// Percentiles draws the value at each percentile on an axis that stretches the
// tail: p90, p99 and p99.9 are equally far apart. The axis ends at the greatest
// of n values, at "one in n".
func Percentiles(w io.Writer, o Options, series ...Series) error {
	return draw(w, o, series, 300, (*picture).percentiles)
}

func (p *picture) percentiles(o Options, all []*sample, top, height float64) bool {
	var most float64 = 2
	for _, s := range all {
		most = max(most, float64(s.total))
	}
	y := wholeAxis(o.unit(), all)
	x := axis{lo: 1, hi: most, log: true, ticks: tailTicks(most)}
	f := newFrame(p, top, height, x, *y, "percentile", "value")
	if y.log {
		f.note("logarithmic axis")
	}
	for i, s := range all {
		f.stroke(f.tail(s), hue(i), 1.8, dash(i), 1)
		var last path
		last.dot(f.x.at(oneIn(s, len(s.sorted)-1)), f.y.at(s.max()))
		f.stroke(last.String(), hue(i), 6, "", 1)
	}
	return true
}

// oneIn is n divided by the number of measurements at or above sorted[i]. A
// value of this size or greater occurs once in this many.
func oneIn(s *sample, i int) float64 {
	above := s.total - s.below(i)
	if s.upTo != nil && i == len(s.sorted)-1 {
		above = 1 // the greatest of the bucket is one measurement
	}
	return float64(s.total) / float64(above)
}

// tail walks the ranks in steps of half a pixel, so that its size does not
// depend on n.
func (f *frame) tail(s *sample) string {
	var d path
	step := math.Pow(f.x.hi, 0.5/(f.x.to-f.x.from))
	next := 1.0
	for i := 0; i < len(s.sorted); {
		at := oneIn(s, i)
		d.to(f.x.at(at), f.y.at(s.sorted[i]))
		if i == len(s.sorted)-1 {
			break
		}
		next = max(next*step, at*step)
		// The first rank at or beyond next.
		rank := float64(s.total) - float64(s.total)/next
		i = max(i+1, s.rankIndex(rank))
		i = min(i, len(s.sorted)-1)
	}
	return d.String()
}

func (s *sample) rankIndex(rank float64) int {
	if s.upTo == nil {
		return int(math.Ceil(rank))
	}
	return sort.Search(len(s.upTo)-1, func(i int) bool { return float64(s.upTo[i]) > rank })
}
