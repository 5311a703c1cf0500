package histogram

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"
)

// Two modes that are far apart are both visible. One bar of equal width would
// contain the first and everything around it.
func TestTextOfManyDecades(t *testing.T) {
	h := New()
	h.RecordMany(15_000, 700)
	h.RecordMany(16_500, 300)
	h.RecordMany(1_000_000, 400)
	h.RecordMany(30, 5)
	text := h.String()
	for _, want := range []string{"10 µs up to 20 µs 1,000", "500 µs up to 1 ms 399"} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("no bar %q in\n%s", want, text)
		}
	}
}

// Clipped bars lose no value.
func TestTextClipped(t *testing.T) {
	h := New()
	for v := range int64(1000) {
		h.Record(v)
	}
	for _, test := range []struct {
		lo, hi float64
		counts []int64
	}{
		{100, 500, []int64{100, 100, 100, 100, 100, 500}},
		{0, 400, []int64{100, 100, 100, 100, 600}},
		{-800, -400, []int64{0, 0, 0, 0, 1000}},
		{600, 1000, []int64{600, 100, 100, 100, 100}},
		{1400, 1800, []int64{1000, 0, 0, 0, 0}},
	} {
		bins := h.View(0, 1).BinsWithin(4, test.lo, test.hi)
		var counts []int64
		for _, bin := range bins {
			counts = append(counts, bin.Count)
		}
		if len(counts) != len(test.counts) {
			t.Errorf("%v to %v: counts %v, want %v", test.lo, test.hi, counts, test.counts)
			continue
		}
		for i, want := range test.counts {
			if math.Abs(float64(counts[i]-want)) > 5 { // a bucket across an edge is divided
				t.Errorf("%v to %v: counts %v, want %v", test.lo, test.hi, counts, test.counts)
			}
		}
	}
	var b strings.Builder
	if err := h.View(0, 1).WriteText(&b, TextOptions{Min: 100, Max: 500, Bins: 4}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(b.String(), "\n"); got != 2+6 {
		t.Errorf("%d lines in\n%s", got, b.String())
	}
}

// No values and no options make a drawing panic or lose its bars. Bins contain
// every value once.
func FuzzText(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8}, 10, 40, 0.0, 0.0, 0.0, 0.0, 1.0)
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 128}, 100_000, -1, math.NaN(), 3.0, 2.0, 40.0, 1e-9)
	f.Add([]byte("a distribution with many bytes, each eight a value"), 1, 1, 1e300, math.Inf(-1), math.Inf(1), 1e18, 1e300)
	f.Fuzz(func(t *testing.T, data []byte, bins, width int, step, lo, hi, offset, factor float64) {
		h := New()
		for ; len(data) >= 8; data = data[8:] {
			v := int64(binary.LittleEndian.Uint64(data))
			h.Record(v >> (uint64(v) & 63))
		}
		if !(factor > 0) {
			factor = 1
		}
		v := h.View(offset, factor)
		o := TextOptions{Bins: bins, Width: width, Step: step, Min: lo, Max: hi}
		var b strings.Builder
		if err := v.WriteText(&b, o); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(b.String(), "\n"); lines > 320 {
			t.Errorf("%d lines", lines)
		}
		if math.IsInf(factor, 0) || math.IsNaN(offset) || math.IsInf(offset, 0) || math.IsInf(v.Max(), 0) {
			return // values that fit into no bar
		}
		for _, bins := range [][]Bin{v.Bins(min(bins, 1000), 0), v.LogBins(min(bins, 1000))} {
			n := int64(0)
			for _, bin := range bins {
				n += bin.Count
			}
			if len(bins) > 0 && n != h.Count() {
				t.Errorf("%d values in bins, %d in all: %v", n, h.Count(), bins)
			}
		}
	})
}
