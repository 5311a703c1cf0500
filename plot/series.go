package plot

import (
	"time"

	"github.com/tarebench/tare/histogram"
)

// Series is a set of measurements of one thing. [Nanos], [Durations] and
// [Distribution] return a series of times.
type Series struct {
	Name string
	// Values are the measurements in the unit of [Options], in the order in
	// which they were taken. NaN, infinities and magnitudes above 1e200 are
	// not drawn.
	Values []float64
	// Counts, if not nil, contains the number of occurrences of each of Values:
	// the buckets of a histogram. Such a series has no run order.
	Counts []uint64
	// widths are the widths of the buckets, if they are known.
	widths []float64
}

// Nanos is a series of times in nanoseconds in the order in which they were
// taken, such as tare.Benchmark.LapNanos returns. Its values are in seconds,
// the default of [Options].
func Nanos(name string, nanos []float64) Series {
	s := Series{Name: name, Values: make([]float64, len(nanos))}
	for i, n := range nanos {
		s.Values[i] = n * 1e-9
	}
	return s
}

// Durations is a series of durations in the order in which they were taken.
func Durations(name string, all []time.Duration) Series {
	s := Series{Name: name, Values: make([]float64, len(all))}
	for i, d := range all {
		s.Values[i] = float64(d) * 1e-9
	}
	return s
}

// Distribution is a histogram of nanoseconds as a series of seconds: the middle
// of each bucket with its count, and the greatest value exactly. It has no run
// order.
func Distribution(name string, v histogram.View) Series {
	s := Series{Name: name, Counts: []uint64{}}
	add := func(nanos float64, count int64, width float64) {
		if count > 0 {
			s.widths = append(s.widths, width*1e-9)
			s.Values = append(s.Values, nanos*1e-9)
			s.Counts = append(s.Counts, uint64(count))
		}
	}
	buckets := v.Buckets()
	for i, b := range buckets {
		greatest := int64(0)
		if i == len(buckets)-1 {
			greatest = 1
		}
		add((b.Lo+b.Hi)/2, b.Count-greatest, b.Hi-b.Lo)
		add(v.Max(), greatest, 0)
	}
	return s
}
