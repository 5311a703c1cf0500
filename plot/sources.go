package plot

import (
	"errors"
	"io"
	"os"
	"time"

	"github.com/tarebench/tare/histogram"
)

// Laps is a series of laps in the order they were taken, in nanoseconds, as
// tare.Benchmark has them. The values of the series are in seconds, the default
// of [Options].
func Laps(name string, nanos []float64) Series {
	s := Series{Name: name, Values: make([]float64, len(nanos))}
	for i, n := range nanos {
		s.Values[i] = n * 1e-9
	}
	return s
}

// Durations is a series of durations in the order they were taken.
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
	if v.Histogram == nil {
		return s
	}
	add := func(recorded float64, count int64, width float64) {
		if count > 0 {
			s.widths = append(s.widths, width*v.Factor*1e-9)
			s.Values = append(s.Values, v.Value(recorded)*1e-9)
			s.Counts = append(s.Counts, uint64(count))
		}
	}
	buckets := v.Histogram.Buckets()
	for i, b := range buckets {
		last := int64(0)
		if i == len(buckets)-1 {
			last = 1
		}
		add((float64(b.Lo)+float64(b.Hi))/2, b.Count-last, float64(b.Hi-b.Lo)+1)
		add(float64(b.Hi), last, 0)
	}
	return s
}

// Save draws into a file, with [All], [RunOrder], [Density] or [Percentiles].
func Save(file string, draw func(io.Writer, Options, ...Series) error, o Options, series ...Series) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(draw(f, o, series...), f.Close())
}
