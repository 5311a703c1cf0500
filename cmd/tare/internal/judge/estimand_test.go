package judge

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/lab"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/internal/unit"
)

// TestNoisyOrdersCount: the change is the pseudomedian over function orders, all
// alike. A change of 8% in some orders, whose pairs also spread five times more,
// is neither called the same by the others nor missed by the interval.
func TestNoisyOrdersCount(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ share, same float64 }{{.25, .30}, {.35, .08}, {.45, .02}} {
		block := func(r *rand.Rand) (pairs []float64, change float64) {
			noise := .002
			if r.Float64() < c.share {
				change, noise = .08, .01
			}
			change += noise * r.NormFloat64()
			for range 9 {
				pairs = append(pairs, math.Exp(change+noise*r.NormFloat64()))
			}
			return pairs, change
		}
		r, walsh := rand.New(rand.NewPCG(1, 1)), []float64(nil)
		for range 20000 {
			_, a := block(r)
			_, b := block(r)
			walsh = append(walsh, (a+b)/2)
		}
		truth := stats.Median(walsh)
		n, same, covered := lab.Times(100, 2000), 0, 0
		for i := range uint64(n) {
			r := rand.New(rand.NewPCG(i, 6))
			var old, new series
			for range 40 {
				pairs, _ := block(r)
				old, new = append(old, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1}), append(new, pairs)
			}
			order := make([]int, 40)
			for k := range order {
				order[k] = k
			}
			p := pair(old, new, order)
			var looks []Look
			design := NewDesign(40, .05, 1)
			for _, n := range design.Looks {
				looks = append(looks, p.look(n))
			}
			all, err := design.Decide(i, looks...)
			if err != nil {
				t.Fatal(err)
			}
			last := all[len(all)-1]
			for _, d := range all {
				if v := relative(d).Verdict(.02, unit.LowerIsBetter, d.P <= .05); v != result.Undecided {
					if last = d; v == result.Same {
						same++
					}
					break
				}
			}
			if last.Lo <= truth && truth <= last.Hi {
				covered++
			}
		}
		t.Logf("+8%% in %.0f%% of orders: same %d, covered %d of %d", 100*c.share, same, covered, n)
		if float64(same) > c.same*float64(n) || float64(covered) < .92*float64(n) {
			t.Errorf("+8%% in %.0f%% of orders (truth %+.2f%%): same %d, the interval has the truth in %d of %d", 100*c.share, 100*truth, same, covered, n)
		}
	}
}
