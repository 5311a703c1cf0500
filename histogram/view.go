package histogram

import "math"

// View reads a histogram in another unit: every value counts as
// (value - Offset) × Factor. An overhead is subtracted with Offset, operations
// per lap are divided out with Factor. Nothing is copied: a view sees what is
// recorded later. The zero View has no values.
type View struct {
	Histogram *Histogram
	Offset    float64
	Factor    float64
	// NonNegative raises every answer to zero: a lap from which its overhead
	// was subtracted may be a hair below, an answer about time may not.
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
