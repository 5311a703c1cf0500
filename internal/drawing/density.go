package drawing

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Density draws how the values are distributed: a Gaussian kernel estimate with
// Silverman's bandwidth (Silverman, Density Estimation, 1986, eq. 3.31) for the
// width of one mode. The median is a dashed line. Up to 50 values are ticks
// too, and fewer than 10 have no curve. Every series encloses the same area.
// The picture counts the values beyond the 99.5% quantile instead of drawing
// them.
func Density(w io.Writer, o Options, series ...Series) error {
	return draw(w, o, series, 300, (*picture).density)
}

func (p *picture) density(o Options, all []*sample, top, height float64) bool {
	x, beyond := densityAxis(o.unit(), all, 0.995)
	f := newFrame(p, top, height, *x, axis{lo: 0, hi: 1}, "value", "density")
	cells := int(f.x.to - f.x.from)
	curves, most := kernelDensities(all, &f.x, cells)
	for i, s := range all {
		if !s.few() {
			shape, edge := f.ridge(curves[i], most)
			f.fill(shape, hue(i), 0.18)
			f.stroke(edge, hue(i), 1.6, dash(i), 1)
		}
		f.rug(s, hue(i))
		if m := f.x.at(s.quantile(0.5)); m >= f.x.from && m <= f.x.to {
			f.stroke(segment(m, f.y.from, m, f.y.to), hue(i), 1.2, "4 4", 0.9)
		}
	}
	switch {
	case slices.ContainsFunc(all, (*sample).few):
		f.note("fewer than 10 values: no curve")
	case beyond > 0 && x.log:
		f.note(fmt.Sprintf("logarithmic axis; %s beyond the picture", shareLabel(beyond)))
	case beyond > 0:
		f.note(shareLabel(beyond) + " of the values lie beyond the picture")
	case x.log:
		f.note("logarithmic axis")
	}
	return true
}

func shareLabel(share float64) string {
	return fmt.Sprintf("%.2g%%", share*100)
}

// ridge scales a curve into the frame: the closed shape, and its upper edge.
func (f *frame) ridge(curve []float64, most float64) (closed, edge string) {
	var shape, line path
	shape.to(f.x.from, f.y.from)
	for i, v := range curve {
		x := f.x.from + (float64(i)+0.5)*(f.x.to-f.x.from)/float64(len(curve))
		y := f.y.from - v/most*(f.y.from-f.y.to)*0.94
		shape.to(x, y)
		line.to(x, y)
	}
	shape.to(f.x.to, f.y.from)
	return shape.String() + "Z", line.String()
}

// densityAxis spans the body of all series, up to the quantile top of each. It
// returns the share of the values outside it. If the body covers more than a
// factor of thirty, the axis is logarithmic.
func densityAxis(base string, all []*sample, top float64) (*axis, float64) {
	lo, far := spread(all)
	hi := math.Inf(-1)
	for _, s := range all {
		hi = max(hi, s.quantile(top))
	}
	log := lo > leastLog && hi > 30*lo
	end := hi
	// A short tail is drawn completely.
	if (!log && far-lo < 1.3*(hi-lo)) || (log && math.Log(far)-math.Log(lo) < 1.3*(math.Log(hi)-math.Log(lo))) {
		end = far
	}
	a, b := padded(lo, end, log)
	if a == 0 && lo > 0 {
		a = lo - min(lo, (end-lo)*0.05)
	}
	x := valueAxis(base, a, b, log, 8)
	var out, n float64
	for _, s := range all {
		for i := len(s.sorted) - 1; i >= 0 && s.sorted[i] > x.hi; i-- {
			out += s.weight(i)
		}
		n += float64(s.total)
	}
	return x, out / n
}

// kernelDensities are the densities of the samples that are not few, and the
// greatest share of a cell. A sample may be nil.
func kernelDensities(all []*sample, x *axis, cells int) (curves [][]float64, most float64) {
	curves = make([][]float64, len(all))
	for i, s := range all {
		if s != nil && !s.few() {
			curves[i] = kernelDensity(s, x, cells)
			most = max(most, slices.Max(curves[i]))
		}
	}
	return curves, most
}

// kernelDensity is the density of s over the axis on a grid of cells, in
// shares per cell, so that curves of several series compare.
func kernelDensity(s *sample, x *axis, cells int) []float64 {
	counts := make([]float64, cells)
	// The values are sorted: walk the upper edges of the cells instead of
	// taking a logarithm per value.
	at := 0
	if s.upTo != nil {
		spreadBuckets(s, x, counts)
		at = len(s.sorted)
	}
	for c := range counts {
		edge := cellEdge(x, c+1, cells)
		for at < len(s.sorted) && (s.sorted[at] < edge || c == cells-1 && s.sorted[at] <= x.hi) {
			if s.sorted[at] >= x.lo {
				counts[c] += s.weight(at)
			}
			at++
		}
	}
	total := float64(s.total)
	for c := range counts {
		counts[c] /= total
	}
	return smooth(counts, bandwidth(s, x, cells))
}

// spreadBuckets spreads the weight of each bucket over its width: half way to
// its neighbor on either side, or up to the neighbor if the two are known to
// adjoin.
func spreadBuckets(s *sample, x *axis, counts []float64) {
	cells := float64(len(counts))
	last := len(s.sorted) - 1
	for i, v := range s.sorted {
		lo, hi := v, v
		if i > 0 {
			lo = s.edge(i - 1)
		}
		if i < last {
			hi = s.edge(i)
		}
		if hi < x.lo || lo > x.hi {
			continue
		}
		from, to := x.share(x.clamp(lo))*cells, x.share(x.clamp(hi))*cells
		first, end := int(from), min(int(to), len(counts)-1)
		first = min(first, end)
		for c := first; c <= end; c++ {
			if to-from < 1e-9 {
				counts[c] += s.weight(i)
				break
			}
			part := min(to, float64(c+1)) - max(from, float64(c))
			counts[c] += s.weight(i) * max(0, part) / (to - from)
		}
	}
}

func (s *sample) edge(i int) float64 {
	a, b := s.sorted[i], s.sorted[i+1]
	if s.widths != nil && b-a < 0.501*(s.widths[i]+s.widths[i+1]) {
		return a + s.widths[i]/2
	}
	return (a + b) / 2
}

func cellEdge(x *axis, cell, cells int) float64 {
	share := float64(cell) / float64(cells)
	if x.log {
		return math.Exp(math.Log(x.lo) + share*(math.Log(x.hi)-math.Log(x.lo)))
	}
	return x.lo + (x.hi-x.lo)*share
}

func (s *sample) few() bool { return s.total < 10 }

// rug marks single values if there are few: a smooth curve of ten values shows
// more than is known.
func (f *frame) rug(s *sample, color style) {
	if s.total > 50 {
		return
	}
	height := 9.0
	if s.few() {
		height = 0.3 * (f.y.from - f.y.to)
	}
	f.stroke(f.bars(s, height), color, 1.4, "", 0.9)
}

// bars has a bar for each value on the axis.
func (f *frame) bars(s *sample, height float64) string {
	var d strings.Builder
	for _, v := range s.sorted {
		if v >= f.x.lo && v <= f.x.hi {
			d.WriteString(segment(f.x.at(v), f.y.from, f.x.at(v), f.y.from-height))
		}
	}
	return d.String()
}

// shortest is the width of the narrowest interval with a quarter of the values,
// in cells. If the values have several modes, it is inside one.
func (s *sample) shortest(place func(q float64) float64) float64 {
	const share, steps = 0.25, 96
	least := math.Inf(1)
	for i := range steps + 1 {
		q := float64(i) / steps * (1 - share)
		least = min(least, place(q+share)-place(q))
	}
	return least
}

// bandwidth is Silverman's 0.9·σ·n^(−1/5) in cells. σ is the minimum of three
// robust estimates, each exact for a normal distribution. The 5 and 95%
// quantiles give one, so that a tail does not blur the body. The quartiles give
// another. The narrowest quarter of the values keeps the distance between two
// modes from counting as the width of one. The bandwidth is at least a cell and
// a half, and wide enough to blend the steps of a coarse clock.
func bandwidth(s *sample, x *axis, cells int) float64 {
	place := func(q float64) float64 { return x.share(x.clamp(s.quantile(q))) * float64(cells) }
	sigma := (place(0.95) - place(0.05)) / 3.29
	if iqr := (place(0.75) - place(0.25)) / 1.34; iqr > 0 {
		sigma = min(sigma, iqr)
	}
	if s.total >= 20 {
		if quarter := s.shortest(place) / 0.637; quarter > 0 {
			sigma = min(sigma, quarter)
		}
	}
	least := 1.5
	if s.upTo == nil {
		if distinct := s.distinct(s.quantile(0.05), s.quantile(0.95)); distinct > 1 && distinct < 1000 && distinct*10 < len(s.sorted) {
			least = max(least, 0.6*(place(0.95)-place(0.05))/float64(distinct-1))
		}
	}
	return max(least, 0.9*sigma*math.Pow(float64(s.total), -0.2))
}

// distinct counts the different values in [lo, hi], up to a thousand. Beyond a
// thousand, steps do not show.
func (s *sample) distinct(lo, hi float64) int {
	n := 0
	i, _ := slices.BinarySearch(s.sorted, lo)
	for i < len(s.sorted) && s.sorted[i] <= hi && n < 1000 {
		n++
		next, _ := slices.BinarySearch(s.sorted[i:], math.Nextafter(s.sorted[i], math.Inf(1)))
		i += max(next, 1)
	}
	return n
}

// smooth convolves with a Gaussian of sigma cells.
func smooth(counts []float64, sigma float64) []float64 {
	reach := int(math.Ceil(3.5 * sigma))
	kernel := make([]float64, reach+1)
	sum := 0.0
	for i := range kernel {
		kernel[i] = math.Exp(-0.5 * float64(i*i) / (sigma * sigma))
		sum += kernel[i]
		if i > 0 {
			sum += kernel[i]
		}
	}
	out := make([]float64, len(counts))
	for c, v := range counts {
		if v == 0 {
			continue
		}
		for k := max(0, c-reach); k <= min(len(out)-1, c+reach); k++ {
			out[k] += v * kernel[max(k-c, c-k)] / sum
		}
	}
	return out
}
