package judge

import (
	"math"
	"slices"
	"testing"

	"github.com/tarebench/tare/internal/unit"
)

// A pass at a level needs the interval of one signed-rank test at that level. Its
// critical value is from the table of the signed-rank test (n = 8, two-sided 0.2:
// 8; Conover 1999, Practical Nonparametric Statistics, table A12).
func TestPassLevel(t *testing.T) {
	x := []float64{-0.011, 0.003, -0.002, 0.007, -0.004, 0.013, 0.001, -0.006}
	d := NewDesign(40, 0.05, 1)
	d.PassLevel = 0.2
	all, err := d.Decide(1, Look{Center: x})
	if err != nil {
		t.Fatal(err)
	}
	var means []float64
	for i := range x {
		for j := i; j < len(x); j++ {
			means = append(means, (x[i]+x[j])/2)
		}
	}
	slices.Sort(means)
	got := *all[0].Pass
	if want := [2]float64{means[8], means[len(means)-1-8]}; math.Abs(got[0]-want[0])+math.Abs(got[1]-want[1]) > 1e-12 {
		t.Errorf("interval %v, want %v", got, want)
	}
	iv := relative(all[0])
	limit := math.Expm1(got[1]) + 1e-6
	if iv.Gate(limit, unit.LowerIsBetter) != Pass {
		t.Errorf("%v does not pass at %v", got, limit)
	}
	if iv.Pass = nil; iv.Gate(limit, unit.LowerIsBetter) != Open {
		t.Errorf("%v passes at %v without a level", iv, limit)
	}
}
