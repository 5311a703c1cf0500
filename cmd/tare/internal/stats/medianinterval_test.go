package stats

import (
	"math"
	"testing"
)

func TestMedianOrder(t *testing.T) {
	for _, c := range []struct {
		n          int
		confidence float64
		lo, hi     int
	}{
		// By the binomial table: n=10, P(2 ≤ K ≤ 8) = 0.9785.
		{1, 0.95, 0, 2}, {5, 0.95, 0, 5}, {6, 0.95, 1, 6}, {8, 0.95, 1, 7}, {10, 0.95, 2, 9}, {20, 0.95, 6, 15}, {10, 1, 0, 11}, {10, 0, 5, 6},
	} {
		lo, hi, attained := MedianOrder(c.n, c.confidence)
		if lo != c.lo || hi != c.hi || attained < c.confidence {
			t.Errorf("MedianOrder(%d, %v) = %d, %d (%v), want %d, %d", c.n, c.confidence, lo, hi, attained, c.lo, c.hi)
		}
	}
	if n := LeastForMedian(0.95); n != 6 {
		t.Errorf("LeastForMedian(0.95) = %d, want 6", n)
	}
}

// TestMedianOrderCoverage sums the binomial over the gaps by exact integers.
func TestMedianOrderCoverage(t *testing.T) {
	for n := 1; n <= 50; n++ {
		row := []uint64{1}
		for range n {
			next := make([]uint64, len(row)+1)
			for i, v := range row {
				next[i] += v
				next[i+1] += v
			}
			row = next
		}
		for _, confidence := range []float64{0.5, 0.9, 0.95, 0.99} {
			lo, hi, attained := MedianOrder(n, confidence)
			sum := uint64(0)
			for k := lo; k < hi; k++ {
				sum += row[k]
			}
			want := float64(sum) / math.Ldexp(1, n)
			if math.Abs(want-attained) > 1e-12 {
				t.Errorf("n = %d at %v: attained %v, want %v", n, confidence, attained, want)
			}
			// The next smaller run of gaps misses the confidence.
			if hi-lo > 1 {
				if least := sum - min(row[lo], row[hi-1]); float64(least)/math.Ldexp(1, n) >= confidence {
					t.Errorf("n = %d at %v: [%d, %d] is wider than it must be", n, confidence, lo, hi)
				}
			}
		}
	}
}
