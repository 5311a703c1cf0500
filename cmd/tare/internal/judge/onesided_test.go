package judge

import (
	"math"
	"slices"
	"testing"
)

// TestOneSided: the bounds are Walsh averages, counted from either end by the
// critical values of published tables of Wilcoxon's test at 5%, one-sided
// (Wilcoxon and Wilcox 1964, table 2).
func TestOneSided(t *testing.T) {
	for n, critical := range map[int]int{4: -1, 5: 0, 6: 2, 7: 3, 8: 5, 9: 8, 10: 10, 12: 17, 15: 30, 20: 60, 25: 100} {
		var l Look
		for i := range n {
			l.Center = append(l.Center, math.Exp2(float64(i)))
		}
		var walsh []float64
		for i, a := range l.Center {
			for _, b := range l.Center[i:] {
				walsh = append(walsh, (a+b)/2)
			}
		}
		slices.Sort(walsh)
		lo, hi := math.Inf(-1), math.Inf(1)
		if critical >= 0 {
			lo, hi = walsh[critical], walsh[len(walsh)-1-critical]
		}
		if gotLo, gotHi := l.OneSided(0.05); gotLo != lo || gotHi != hi {
			t.Errorf("n = %d: %v … %v, want %v … %v", n, gotLo, gotHi, lo, hi)
		}
	}
}
