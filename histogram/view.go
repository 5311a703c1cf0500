package histogram

import "math"

// View shows a histogram in another unit: every value counts as (value -
// offset) × factor. The offset subtracts an overhead, and the factor divides by
// the operations of a lap. A view copies nothing, so it includes values that
// are recorded later. The zero View has no values. Make one with
// [Histogram.View].
type View struct {
	h              *Histogram
	offset, factor float64
	nonNegative    bool
}

// View returns a view of h. The factor must be positive.
func (h *Histogram) View(offset, factor float64) View {
	return View{h: h, offset: offset, factor: factor}
}

// NonNegative returns the view with every result raised to at least zero. A lap
// minus its overhead may be slightly below zero, but a time may not.
func (v View) NonNegative() View {
	v.nonNegative = true
	return v
}

// Buckets returns the buckets that have values, in ascending order. The values
// in [Lo, Hi) were counted together, so the middle represents them.
func (v View) Buckets() []Bin {
	buckets := v.h.buckets()
	all := make([]Bin, len(buckets))
	for i, b := range buckets {
		all[i] = Bin{Lo: v.value(float64(b.lo) - 0.5), Hi: v.value(float64(b.hi) + 0.5), Count: b.count, Tail: b.tail}
	}
	return all
}

func (v View) value(recorded float64) float64 {
	value := (recorded - v.offset) * v.factor
	if v.nonNegative {
		return max(0, value)
	}
	return value
}

// Count is the number of values.
func (v View) Count() int64 { return v.h.Count() }

// Min is the least value, NaN without values.
func (v View) Min() float64 {
	if v.Count() == 0 {
		return math.NaN()
	}
	return v.value(float64(v.h.min))
}

// Max is the greatest value, NaN without values.
func (v View) Max() float64 {
	if v.Count() == 0 {
		return math.NaN()
	}
	return v.value(float64(v.h.max))
}

// Mean is the mean of all values, NaN without values.
func (v View) Mean() float64 { return v.value(v.h.Mean()) }

// Quantile is [Histogram.Quantile] in the unit of the view.
func (v View) Quantile(q float64) Quantile {
	a := v.h.Quantile(q)
	a.Value, a.Lo, a.Hi = v.value(a.Value), v.value(a.Lo), v.value(a.Hi)
	return a
}
