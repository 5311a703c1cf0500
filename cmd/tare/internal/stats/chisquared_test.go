package stats

import (
	"math"
	"testing"
)

// TestChiSquaredTail holds values of scipy.stats.chi2.sf of scipy 1.17.1.
func TestChiSquaredTail(t *testing.T) {
	for _, test := range []struct {
		x       float64
		degrees int
		want    float64
	}{
		{0, 1, 1},
		{3.841458820694124, 1, 0.05},
		{5.991464547107979, 2, 0.05},
		{2, 2, 0.36787944117144233}, // e⁻¹
		{100, 1, 1.523970604832105e-23},
		{1e-4, 3, 0.9999997340464585},
		{0.5, 7, 0.9994464813904249},
		{60, 40, 0.02187346844139091},
	} {
		got := ChiSquaredTail(test.x, test.degrees)
		if math.Abs(got-test.want) > 1e-9*test.want {
			t.Errorf("tail at %v with %d degrees: %v, want %v", test.x, test.degrees, got, test.want)
		}
	}
	if !math.IsNaN(ChiSquaredTail(-1, 1)) || !math.IsNaN(ChiSquaredTail(1, 0)) {
		t.Error("a negative value or no degrees of freedom have a tail")
	}
}
