package benchtab

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
)

// TestTiedRunsAgree: for times that are rounded to one standard deviation, p is
// at most α if and only if the interval excludes no change.
func TestTiedRunsAgree(t *testing.T) {
	tied := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 12))
		side := func(center float64) string {
			runs := make([]float64, 10)
			for i := range runs {
				runs[i] = math.Round((center+0.3*r.NormFloat64())/0.3) * 0.3
			}
			return lines("X", "ns/op", runs...)
		}
		b := comparisonOf(t, usual, side(30), side(30.3)).Benchmarks[0]
		if iv := judge.Between(b.Change); iv.Known() && (*b.P <= usual.Alpha) != iv.Excludes(0) {
			t.Errorf("seed %d: p = %v, change %+v", seed, *b.P, b.Change)
		}
		if *b.P == math.Nextafter(usual.Alpha, 1) {
			tied++
		}
	}
	t.Logf("%d of 300 had a smaller p of ties", tied)
	if tied == 0 {
		t.Error("no comparison has ties that matter")
	}
}
