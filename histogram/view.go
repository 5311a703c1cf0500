package histogram

import "math"

// View reads a histogram in another unit: every value counts as
// (value - Offset) × Factor. An overhead is taken off with Offset, operations
// per lap are divided out with Factor. Nothing is copied: a view sees what is
// recorded later. The zero View has no values.
type View struct {
	Histogram *Histogram
	Offset    float64
	Factor    float64
	// NonNegative raises every answer to zero: a lap from which its overhead
	// was taken off may be a hair below, an answer about time may not.
	NonNegative bool
}

// View returns a view of h. The factor must be positive.
func (h *Histogram) View(offset, factor float64) View {
	return View{Histogram: h, Offset: offset, Factor: factor}
}

// Value converts one recorded value.
func (v View) Value(recorded float64) float64 {
	value := (recorded - v.Offset) * v.Factor
	if v.NonNegative {
		return max(0, value)
	}
	return value
}

// Count is the number of values.
func (v View) Count() int64 { return v.Histogram.Count() }

// Min is the least value, NaN without values.
func (v View) Min() float64 {
	if v.Count() == 0 {
		return math.NaN()
	}
	return v.Value(float64(v.Histogram.min))
}

// Max is the greatest value, NaN without values.
func (v View) Max() float64 {
	if v.Count() == 0 {
		return math.NaN()
	}
	return v.Value(float64(v.Histogram.max))
}

// Mean is the mean of all values, NaN without values.
func (v View) Mean() float64 { return v.Value(v.Histogram.Mean()) }

// Quantile is [Histogram.Quantile] in the unit of the view.
func (v View) Quantile(q float64) Quantile {
	a := v.Histogram.Quantile(q)
	a.Value, a.Lo, a.Hi = v.Value(a.Value), v.Value(a.Lo), v.Value(a.Hi)
	return a
}

// Bin is one bar of a drawing: Count values from Lo up to, and without, Hi.
type Bin struct {
	Lo, Hi float64
	Count  int64
	// Tail is true for the last bin when it is wider than the others: it
	// holds all that lies beyond, up to the maximum.
	Tail bool
}

// Bins cuts the values into about n bins of equal width, 1, 2 or 5 times a
// power of ten and at least least wide (the step of a clock, so that bins do
// not show it as a comb; 0 for none). Where the values have a long tail, the
// bins cover 99 % of them and one more bin holds the tail. Values of a bucket
// that reaches over an edge are shared out evenly over its width.
func (v View) Bins(n int, least float64) []Bin {
	h := v.Histogram
	total := h.Count()
	if total == 0 || n < 1 {
		return nil
	}
	bottom, top := v.Min(), v.Max()
	reach := top
	rank := int64(math.Ceil(0.99 * float64(total)))
	if total >= 10 {
		rank = min(rank, total-1) // so that one value can be the tail
	}
	if most := v.Value(float64(h.at(rank).Hi)); top-bottom > 2*(most-bottom) {
		reach = most
	}
	width := max(nice((reach-bottom)/float64(n)), least)
	if width == 0 {
		width = 1
	}
	first := math.Floor(bottom/width) * width
	count := max(1, int(math.Floor((reach-first)/width*(1+1e-12)))+1)
	bins := make([]Bin, 0, count+1)
	before := int64(0)
	buckets := h.Buckets()
	for i := range count {
		lo, hi := first+float64(i)*width, first+float64(i+1)*width
		upTo := v.countBelow(buckets, hi)
		bins = append(bins, Bin{Lo: lo, Hi: hi, Count: upTo - before})
		before = upTo
	}
	if beyond := total - before; beyond > 0 {
		bins = append(bins, Bin{first + float64(count)*width, top, beyond, true})
	}
	return bins
}

// countBelow counts the values below edge.
func (v View) countBelow(buckets []Bucket, edge float64) int64 {
	recorded := edge/v.Factor + v.Offset
	n := int64(0)
	for _, b := range buckets {
		lo, hi := float64(b.Lo), float64(b.Hi)
		switch {
		case hi < recorded:
			n += b.Count
		case lo < recorded:
			share := (math.Ceil(recorded) - lo) / (hi - lo + 1)
			n += int64(math.Round(float64(b.Count) * min(1, share)))
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
