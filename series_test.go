package tare_test

import (
	"io"
	"math"
	"slices"
	"testing"

	"github.com/tarebench/tare"
	"github.com/tarebench/tare/plot"
)

func TestSeriesOfADistribution(t *testing.T) {
	bench := tare.NewBenchmark(5000, tare.Repeat(1))
	for bench.Next() {
		text += "x"
		if len(text) > 500 {
			text = ""
		}
	}
	d := bench.Distribution()
	s := d.Series("append")
	total := uint64(0)
	for _, n := range s.Counts {
		total += n
	}
	if len(s.Values) != len(s.Counts) || total != uint64(d.Laps) {
		t.Fatalf("%d values, %d counts, %d laps of %d", len(s.Values), len(s.Counts), total, d.Laps)
	}
	if !slices.IsSorted(s.Values) {
		t.Error("the buckets are out of order")
	}
	if got, want := s.Values[len(s.Values)-1]*1e9, d.Corrected().Max(); math.Abs(got-want) > 1e-6*want {
		t.Errorf("the greatest value is %g ns, want %g", got, want)
	}
	// The middle of the counts is the median, to the width of a bucket.
	half, i := uint64(0), 0
	for ; half+s.Counts[i] < total/2; i++ {
		half += s.Counts[i]
	}
	median, _ := d.Quantile(0.5)
	if got := s.Values[i] * 1e9; math.Abs(got-median.Value) > 0.02*(median.Value+d.Overhead.Hi)+1 {
		t.Errorf("the median of the series is %g ns, that of the distribution %g", got, median.Value)
	}
	if err := plot.All(io.Discard, plot.Options{Unit: "sec/op"}, s); err != nil {
		t.Error(err)
	}
	if empty := (tare.Distribution{}).Series("none"); plot.All(io.Discard, plot.Options{}, empty) != plot.ErrNoValues {
		t.Error("a distribution without laps was drawn")
	}
}

func TestSeriesOfABenchmark(t *testing.T) {
	bench := tare.NewBenchmark(100, tare.KeepLaps(40))
	for bench.Next() {
		text = "x"
	}
	s, laps := bench.Series("kept"), bench.Laps()
	if len(s.Values) != 40 || s.Counts != nil {
		t.Fatalf("%d values and %d counts of 40 laps", len(s.Values), len(s.Counts))
	}
	for i := range laps {
		if s.Values[i] != laps[i]*1e-9 {
			t.Fatalf("lap %d is %g s, want %g ns", i, s.Values[i], laps[i])
		}
	}
	bench = tare.NewBenchmark(100)
	for bench.Next() {
		text = "x"
	}
	if s := bench.Series("buckets"); len(s.Counts) == 0 {
		t.Error("without KeepLaps there is nothing to draw")
	}
}

func ExampleBenchmark_Series() {
	bench := tare.NewBenchmark(1000, tare.KeepLaps(1000))
	for bench.Next() {
		text = "hello, " + text[:0]
	}
	// A file takes the place of io.Discard.
	if err := plot.All(io.Discard, plot.Options{Unit: "sec/op"}, bench.Series("concatenation")); err != nil {
		panic(err)
	}
	// Output:
}
