package tare

import "github.com/tarebench/tare/plot"

// Series is the distribution as package plot draws it: the middle of each
// bucket of the histogram with its count, the overhead taken off, in seconds
// per operation (the unit "sec/op" of [plot.Options]). The greatest lap stands
// apart, exactly. It has no run order: see [Benchmark.Series].
func (d Distribution) Series(name string) plot.Series {
	s := plot.Series{Name: name, Counts: []uint64{}}
	if d.Laps == 0 {
		return s
	}
	add := func(recorded float64, count int64) {
		if count > 0 {
			s.Values = append(s.Values, d.corrected.Value(recorded)*1e-9)
			s.Counts = append(s.Counts, uint64(count))
		}
	}
	buckets := d.corrected.Histogram.Buckets()
	for i, b := range buckets {
		last := int64(0)
		if i == len(buckets)-1 {
			last = 1
		}
		add((float64(b.Lo)+float64(b.Hi))/2, b.Count-last)
		add(float64(b.Hi), last)
	}
	return s
}

// Series is what [KeepLaps] kept, in the order of the laps, for package plot:
// seconds per operation, the overhead taken off. Without KeepLaps it is the
// distribution alone.
func (b *Benchmark) Series(name string) plot.Series {
	laps := b.Laps()
	if len(laps) == 0 {
		return b.Distribution().Series(name)
	}
	for i := range laps {
		laps[i] *= 1e-9
	}
	return plot.Series{Name: name, Values: laps}
}
