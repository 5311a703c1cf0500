package judge

import (
	"fmt"
	"math"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// Look is the data of a look: one center per unit, in the order in which the
// units came.
//
// A unit keeps its place from look to look. A unit that is the mean of several
// blocks (a function order used again) changes with each new block.
//
// Strata, if not nil, gives the stratum of each unit: the machine that measured
// it. Units are ranked within their stratum. The center and the interval come
// from the pairs within strata (Lehmann 2006, Nonparametrics, section 3.3:
// blocks of unequal sizes), so that units of different machines are not
// compared. If the labels do not matter, the signs are still random, and the
// test stays exact.
type Look struct {
	Center []float64
	Strata []int
}

// Bounds is the interval of a decision with this critical value. It contains
// the values that, as the center, would put both signed-rank sums above it. It
// is unbounded if critical is below 0, or if it would be empty.
func (l Look) Bounds(critical float64) (lo, hi float64) {
	return bounds(l.averages(), critical)
}

func bounds(averages []float64, critical float64) (lo, hi float64) {
	i := int(critical)
	if critical < 0 || 2*i >= len(averages) {
		return math.Inf(-1), math.Inf(1)
	}
	return averages[i], averages[len(averages)-1-i]
}

// Median is the Hodges–Lehmann center of the look, the median of its
// Walsh averages within strata.
func (l Look) Median() float64 { return stats.Median(l.averages()) }

// standardError is the standard error of [Look.Median]. It is half the distance
// of the averages one standard deviation of the signed-rank sum below and above
// the middle (Lehmann 2006, Nonparametrics, section 2.5).
func (l Look) standardError() float64 {
	averages, variance := l.averages(), 0.0
	for _, units := range l.strata() {
		n := float64(len(units))
		variance += n * (n + 1) * (2*n + 1) / 24
	}
	at := func(index float64) float64 {
		index = min(max(index, 0), float64(len(averages)-1))
		i := int(index)
		j := min(i+1, len(averages)-1)
		return averages[i] + (index-float64(i))*(averages[j]-averages[i])
	}
	middle := float64(len(averages)-1) / 2
	return (at(middle+math.Sqrt(variance)) - at(middle-math.Sqrt(variance))) / 2
}

func (l Look) averages() []float64 {
	if l.Strata == nil {
		return stats.WalshAverages(l.Center)
	}
	var all []float64
	for _, units := range l.strata() {
		all = append(all, stats.WalshAverages(pick(l.Center, units))...)
	}
	slices.Sort(all)
	return all
}

func (l Look) ranks(rank func([]float64) []int32) []int32 {
	out := make([]int32, len(l.Center))
	for _, units := range l.strata() {
		for i, r := range rank(pick(l.Center, units)) {
			out[units[i]] = r
		}
	}
	return out
}

// strata are the units by stratum.
func (l Look) strata() (all [][]int) {
	index := make(map[int]int)
	for unit := range l.Center {
		s := 0
		if l.Strata != nil {
			s = l.Strata[unit]
		}
		i, known := index[s]
		if !known {
			i = len(all)
			index[s] = i
			all = append(all, nil)
		}
		all[i] = append(all[i], unit)
	}
	return all
}

func pick(values []float64, units []int) []float64 {
	out := make([]float64, len(units))
	for i, u := range units {
		out[i] = values[u]
	}
	return out
}

func (l Look) check() error {
	if len(l.Center) == 0 {
		return fmt.Errorf("no units")
	}
	if l.Strata != nil && len(l.Strata) != len(l.Center) {
		return fmt.Errorf("%d strata for %d centers", len(l.Strata), len(l.Center))
	}
	for i, v := range l.Center {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("center %d is %v", i, v)
		}
	}
	return nil
}

func (d Design) check(looks []Look) error {
	if len(looks) == 0 || len(looks) > len(d.Looks) {
		return fmt.Errorf("%d looks of a design with %d", len(looks), len(d.Looks))
	}
	for j, l := range looks {
		if err := l.check(); err != nil {
			return fmt.Errorf("look %d: %w", j+1, err)
		}
		if len(l.Center) > d.Looks[j] {
			return fmt.Errorf("look %d has %d units, want %d", j+1, len(l.Center), d.Looks[j])
		}
		if j > 0 && len(l.Center) < len(looks[j-1].Center) {
			return fmt.Errorf("look %d has fewer units than look %d", j+1, j)
		}
	}
	return nil
}
