package histogram

import "math"

// mostBins is the maximum number of bins. More is a mistake, and would use up
// the memory.
const mostBins = 10_000

// Bin is one bar of a drawing: Count values from Lo up to, but not including,
// Hi.
type Bin struct {
	Lo, Hi float64
	Count  int64
	// Tail is true for a last bin that contains all values beyond the others,
	// up to the maximum, and for a first bin that contains all values below.
	Tail bool
}

// Bins cuts the values into about n bins of equal width: 1, 2 or 5 times a
// power of ten, and not below least. Pass the step of a clock as least, so that
// bins do not show it as a comb, or 0. If the values have a long tail, the bins
// cover 99% of them and one more bin contains the tail. A bucket that crosses
// an edge is divided in proportion to its width. There are no bins for n < 1 or
// without values, and never more than about 10,000.
func (v View) Bins(n int, least float64) []Bin {
	if v.Count() == 0 || n < 1 {
		return nil
	}
	n = min(n, mostBins)
	bottom, reach := v.Min(), v.reach()
	width := max(nice((reach-bottom)/float64(n)), least)
	if !(width > 0) || math.IsInf(width, 0) {
		width = 1
	}
	first := math.Floor(bottom/width) * width
	count := max(1, int(min(float64(n)+1, math.Floor((reach-first)/width*(1+1e-12))))+1)
	edges := make([]float64, 0, count+1)
	for i := range count + 1 {
		edges = append(edges, first+float64(i)*width)
	}
	return v.binsBetween(edges)
}

// LogBins cuts the values into about n bins. The edges are 1, 2 and 5 times
// powers of ten, or powers of ten alone if there would be too many. They cover
// 98% of the values, if these are positive. One more bin has the values below,
// and one the values above.
func (v View) LogBins(n int) []Bin {
	if v.Count() == 0 || n < 1 {
		return nil
	}
	bottom, top := 0.0, v.reach()
	for _, q := range []float64{0.01, 0.1, 0.5} {
		if bottom = v.value(float64(v.h.at(max(1, int64(q*float64(v.Count())))).lo)); bottom > 0 {
			break
		}
	}
	if !(bottom > 0) || !(top > bottom) {
		return v.Bins(n, 0)
	}
	steps := []float64{1, 2, 5}
	low, high := math.Floor(math.Log10(bottom)), math.Floor(math.Log10(top))
	if 3*(high-low+1) > 1.5*float64(n) {
		steps = steps[:1]
	}
	var edges []float64
	for power := low; power <= high+1; power++ {
		for _, step := range steps {
			edge := step * math.Pow(10, power)
			if len(edges) > 0 && edge <= bottom {
				edges = edges[:0]
			}
			edges = append(edges, edge)
			if edge > top {
				return v.binsBetween(edges)
			}
		}
	}
	return v.binsBetween(edges)
}

// BinsWithin cuts the values from lo to hi into n bins of equal width. One more
// bin at each end has the values below lo and above hi.
func (v View) BinsWithin(n int, lo, hi float64) []Bin {
	if v.Count() == 0 || n < 1 || !(lo < hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		return nil
	}
	n = min(n, mostBins)
	edges := make([]float64, 0, n+1)
	for i := range n {
		edges = append(edges, lo+(hi-lo)*float64(i)/float64(n))
	}
	return v.binsBetween(append(edges, hi))
}

// reach is the maximum, or the 99% quantile if the values have a long tail.
func (v View) reach() float64 {
	total, bottom, top := v.Count(), v.Min(), v.Max()
	rank := int64(math.Ceil(0.99 * float64(total)))
	if total >= 10 {
		rank = min(rank, total-1) // so that one value can be the tail
	}
	if most := v.value(float64(v.h.at(rank).hi)); top-bottom > 2*(most-bottom) {
		return most
	}
	return top
}

func (v View) binsBetween(edges []float64) []Bin {
	buckets := v.h.buckets()
	bins := make([]Bin, 0, len(edges)+1)
	before := v.countBelow(buckets, edges[0])
	if before > 0 {
		bins = append(bins, Bin{min(v.Min(), edges[0]), edges[0], before, true})
	}
	for i, lo := range edges[:len(edges)-1] {
		upTo := v.countBelow(buckets, edges[i+1])
		bins = append(bins, Bin{Lo: lo, Hi: edges[i+1], Count: upTo - before})
		before = upTo
	}
	if beyond := v.Count() - before; beyond > 0 {
		last := edges[len(edges)-1]
		bins = append(bins, Bin{last, max(last, v.Max()), beyond, true})
	}
	return bins
}

func (v View) countBelow(buckets []bucket, edge float64) int64 {
	recorded := edge/v.factor + v.offset
	if v.nonNegative && edge <= 0 {
		return 0
	}
	n := int64(0)
	for _, b := range buckets {
		lo, hi := float64(b.lo), float64(b.hi)
		switch {
		case hi < recorded:
			n += b.count
		case lo < recorded:
			share := (math.Ceil(recorded) - lo) / (hi - lo + 1)
			n += int64(math.Round(float64(b.count) * min(1, share)))
		default:
			return n
		}
	}
	return n
}

// nice rounds up to 1, 2 or 5 times a power of ten.
func nice(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 0) {
		return 0
	}
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5} {
		if x <= m*power*(1+1e-12) {
			return m * power
		}
	}
	return 10 * power
}
