package histogram

import (
	"math"
)

const (
	mantissa      = 52   // bits of a float64
	exponentOfOne = 1023 // in the encoding of a float64
	// highest is the greatest Options.Max. Every whole number up to it, plus
	// the width of an octave, is a float64.
	highest = 1 << mantissa
)

// layout maps values to buckets. Values are shifted up by first. Each octave,
// from a power of two up to the next, then has first buckets of one width,
// beginning with 1. The exponent and the leading bits of a float64 number the
// buckets.
type layout struct {
	precision uint
	first     int64  // 2^precision
	shift     uint   // to the significant bits of a float64
	base      uint64 // those bits of first
}

func newLayout(precision uint) layout {
	return layout{precision, 1 << precision, mantissa - precision, (exponentOfOne + uint64(precision)) << precision}
}

// index is the bucket of v. For a value that is negative or too high it is past
// the last bucket.
func (l layout) index(v int64) uint64 {
	return math.Float64bits(float64(v+l.first))>>(l.shift&63) - l.base
}

func (l layout) edges(i int) (lo, hi int64) {
	octave := i >> l.precision
	lo = (int64(i)-int64(octave)<<l.precision+l.first)<<octave - l.first
	return lo, lo + 1<<octave - 1
}
