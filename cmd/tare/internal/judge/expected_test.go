package judge

import (
	"math"
	"testing"

	"github.com/tarebench/tare/internal/unit"
)

// The figures are (1.23·z·sd/w)² by hand, with z from tables: 1.645 at 10%,
// 1.960 at 5%, 3.291 at 0.1%.
func TestExpected(t *testing.T) {
	delta := math.Expm1(0.02)
	for _, c := range []struct {
		name       string
		center, sd float64
		better     unit.Direction
		gate       bool
		want       int
	}{
		{"same, at 0", 0, 0.05, unit.LowerIsBetter, false, 32},             // 1.960, 0.02
		{"different, far out", 0.06, 0.05, unit.LowerIsBetter, false, 10},  // 3.291, 0.06
		{"by the shorter way", 0.015, 0.02, unit.LowerIsBetter, false, 26}, // 3.291, 0.015; 1.960, 0.005 are 82
		{"gate, passes", -0.02, 0.05, unit.LowerIsBetter, true, 8},         // 1.960, 0.04
		{"gate, regression", 0.06, 0.05, unit.LowerIsBetter, true, 23},     // 3.291, 0.04
		{"gate of a rate", 0.02, 0.05, unit.HigherIsBetter, true, 8},       // 1.960, 0.04
		{"no noise", 0.06, 0, unit.LowerIsBetter, false, 0},                //
		{"unknown noise", 0.06, math.NaN(), unit.LowerIsBetter, false, 0},  //
		{"at the edge of a gate", 0.02, 0.05, unit.LowerIsBetter, true, 0}, // never
		{"far too much noise", 0.0199, 1e6, unit.LowerIsBetter, true, 0},   //
		{"a little beside 0", 0.001, 0.001, unit.HigherIsBetter, false, 1}, // 1.960, 0.019
		{"a difference and its sign", -0.06, 0.05, unit.LowerIsBetter, false, 10},
	} {
		iv := Interval{Center: c.center, Relative: true}
		if got := iv.Expected(c.sd, delta, c.better, c.gate, 0.05, 50); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	for alpha, want := range map[float64]float64{0.1: 1.645, 0.05: 1.960, 0.001: 3.291} {
		if got := normal(alpha); math.Abs(got-want) > 0.001 {
			t.Errorf("normal(%v) = %v, want %v", alpha, got, want)
		}
	}
}
