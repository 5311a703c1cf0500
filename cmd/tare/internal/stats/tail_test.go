package stats

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

func TestFTailAgainstOracle(t *testing.T) {
	t.Parallel()
	for _, d1 := range []float64{1, 2, 5} {
		for _, d2 := range []float64{1, 3, 7, 30, 200} {
			for _, f := range []float64{0.01, 0.5, 1, 4, 13, 40} {
				want := (distuv.F{D1: d1, D2: d2}).Survival(f)
				if got := FTail(f, d1, d2); math.Abs(got-want) > 1e-9*want+1e-13 {
					t.Errorf("F(%v, %v) at %v: %v, want %v", d1, d2, f, got, want)
				}
			}
		}
	}
	// Far out, 1 minus the distribution is 0: two-sided Student with 7 degrees
	// of freedom at 1000.
	if got, want := FTail(1e6, 1, 7), 2*(distuv.StudentsT{Sigma: 1, Nu: 7}).CDF(-1000); math.Abs(got/want-1) > 1e-6 {
		t.Errorf("at t = 1000: %v, want %v", got, want)
	}
	if FTail(0, 1, 7) != 1 {
		t.Error("no difference is no evidence")
	}
}
