package histogram

import (
	"math"
)

const (
	mantissa      = 52   // bits of a float64
	exponentOfOne = 1023 // as a float64 has it
	// highest is the greatest Options.Max: up to here, and by the width of an
	// octave more, every whole number is a float64.
	highest = 1 << mantissa
)

// layout says which values share a bucket. They are moved up by first; then each
// octave, from a power of two up to the next, has first buckets of one width,
// beginning with 1. The exponent and the leading bits of a float64 count those
// through.
type layout struct {
	precision uint
	first     int64  // 2^precision
	shift     uint   // to the bits of a float64 that count
	base      uint64 // those bits of first
}

func newLayout(precision uint) layout {
	return layout{precision, 1 << precision, mantissa - precision, (exponentOfOne + uint64(precision)) << precision}
}

// index is the bucket of v. A negative value, and one too high, comes out past
// every bucket.
func (l layout) index(v int64) uint64 {
	return math.Float64bits(float64(v+l.first))>>(l.shift&63) - l.base
}

// bucket returns the lowest and the highest value counted in bucket i.
func (l layout) edges(i int) (lo, hi int64) {
	octave := i >> l.precision
	lo = (int64(i)-int64(octave)<<l.precision+l.first)<<octave - l.first
	return lo, lo + 1<<octave - 1
}
