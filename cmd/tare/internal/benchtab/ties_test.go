package benchtab

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
)

// TestTiedRunsAgree: times are rounded to one standard deviation. p is at most α if
// and only if the interval excludes 0. If ties make p larger, the row reports it.
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
		raised := *b.P == math.Nextafter(usual.Alpha, 1)
		if raised {
			tied++
		}
		if said := strings.Contains(b.PAssumes, "distinct runs ("); said != raised {
			t.Errorf("seed %d: p = %v, which assumes %q", seed, *b.P, b.PAssumes)
		}
	}
	t.Logf("%d of 300 had a smaller p of ties", tied)
	if tied == 0 {
		t.Error("no comparison has ties that matter")
	}
}

// TestPAssumes: a row says what its p assumes if the runs contradict it, and seldom
// if they do not.
func TestPAssumes(t *testing.T) {
	for _, c := range []struct {
		name                string
		correlation, spread float64
		n, least, most      int // of 200
		want                string
	}{
		{"neither", 0, 1, 10, 0, 10, ""},
		{"neither, 30 runs", 0, 1, 30, 0, 14, ""},
		{"correlated", .8, 1, 20, 140, 200, "independent runs"},
		{"spreads", 0, 4, 10, 100, 200, "equal spreads"},
		{"spreads, 30 runs", 0, 4, 30, 190, 200, "equal spreads"},
	} {
		said := 0
		for seed := range uint64(200) {
			r := rand.New(rand.NewPCG(seed, 13))
			side := func(spread float64) string {
				runs, last := make([]float64, c.n), r.NormFloat64()
				for i := range runs {
					last = c.correlation*last + math.Sqrt(1-c.correlation*c.correlation)*r.NormFloat64()
					runs[i] = 1000 + spread*last
				}
				return lines("X", "ns/op", runs...)
			}
			b := comparisonOf(t, usual, side(1), side(c.spread)).Benchmarks[0]
			if b.PAssumes != "" && strings.HasPrefix(b.PAssumes, c.want) {
				said++
			}
		}
		t.Logf("%s: %d of 200", c.name, said)
		if said < c.least || said > c.most {
			t.Errorf("%s: said of %d of 200, want %d to %d", c.name, said, c.least, c.most)
		}
	}
}
