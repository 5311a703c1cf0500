package plot_test

import (
	"io"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/tarebench/tare/histogram"
	"github.com/tarebench/tare/plot"
)

func TestSeriesOfAHistogram(t *testing.T) {
	h := histogram.New()
	for i := range int64(5000) {
		h.Record(1000 + i*i%7919)
	}
	h.Record(1_234_567)
	v := h.View(40, 1)
	s := plot.Distribution("squares", v)
	total := uint64(0)
	for _, n := range s.Counts {
		total += n
	}
	if len(s.Values) != len(s.Counts) || total != 5001 {
		t.Fatalf("%d values, %d counts, %d of 5001 laps", len(s.Values), len(s.Counts), total)
	}
	if !slices.IsSorted(s.Values) {
		t.Error("the buckets are out of order")
	}
	if got, want := s.Values[len(s.Values)-1]*1e9, 1_234_567-40.; math.Abs(got-want) > 1e-6*want {
		t.Errorf("the greatest value is %g ns, want %g", got, want)
	}
	// The middle of the counts is the median, to the width of a bucket.
	half, i := uint64(0), 0
	for ; half+s.Counts[i] < total/2; i++ {
		half += s.Counts[i]
	}
	if got, want := s.Values[i]*1e9, v.Quantile(0.5).Value; math.Abs(got-want) > 0.02*want {
		t.Errorf("the median of the series is %g ns, the median of the histogram %g", got, want)
	}
	if err := plot.All(io.Discard, plot.Options{}, s); err != nil {
		t.Error(err)
	}
	for _, empty := range []histogram.View{{}, histogram.New().View(0, 1)} {
		if err := plot.All(io.Discard, plot.Options{}, plot.Distribution("none", empty)); err != plot.ErrNoValues {
			t.Errorf("a histogram without values was drawn: %v", err)
		}
	}
}

func TestSeriesOfLaps(t *testing.T) {
	want := []float64{1.5e-9, 4e-6, -2e-9}
	if s := plot.Nanos("laps", []float64{1.5, 4000, -2}); !near(s.Values, want) || s.Counts != nil {
		t.Errorf("%+v, want %v", s, want)
	}
	want = []float64{2e-9, 1e-3}
	if s := plot.Durations("laps", []time.Duration{2, time.Millisecond}); !near(s.Values, want) || s.Counts != nil {
		t.Errorf("%+v, want %v", s, want)
	}
}

func near(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Abs(b) })
}
