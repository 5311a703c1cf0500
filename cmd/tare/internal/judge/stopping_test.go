package judge

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// The sequential ways to compare, on the same simulated machines. A run is ten
// ticks (1 s) of one process, runs stand side by side, and between all old and
// all new lie 10 s for a build.

const (
	runTicks  = 10
	buildTime = 100 // ticks
	sideRuns  = 10
	peekRuns  = 20
)

// sequentialWays prints the share of studies that each way calls different.
func sequentialWays(out io.Writer, n int) {
	ways := []struct {
		name string
		runs int // per side
		call func(sequence) (different bool, runs int)
	}{
		{"all A, all B, rank test, n = 10", sideRuns, rankTest},
		{"alternating, rank test, n = 10", sideRuns, rankTest},
		{"alternating, rank test, peeking at n = 5 … 20", peekRuns, peeking},
		{"alternating, least of 10, tolerance 2 %", sideRuns, least},
		{"alternating, bootstrap of a trimmed mean, n = 10", sideRuns, bootstrap},
	}
	fmt.Fprintf(out, "Sequential ways on the same machines: A/A false alarms; found at 1, 2, 5 %%; mean runs at 0 %% and 5 %%; %d studies each\n\n", n)
	for w, way := range ways {
		for _, s := range scenes {
			found := make([]int, len(effects))
			runs := make([]int, len(effects))
			type calls struct {
				different [4]bool
				runs      [4]int
			}
			for _, c := range replicate(n, func(i uint64) (c calls) {
				r := chance("customary "+s.name, i)
				old, new := customaryRuns(s, r, way.runs, w > 0)
				seed := r.Uint64()
				for k, effect := range effects {
					moved := slices.Clone(new)
					for j := range moved {
						moved[j] *= 1 + effect
					}
					c.different[k], c.runs[k] = way.call(sequence{old, moved, seed})
				}
				return c
			}) {
				for k := range effects {
					if c.different[k] {
						found[k]++
					}
					runs[k] += c.runs[k]
				}
			}
			share := func(k int) float64 { return 100 * float64(found[k]) / float64(n) }
			fmt.Fprintf(out, "%-50s %-7s %5.1f; %5.1f %5.1f %5.1f; %4.1f %4.1f\n", way.name, s.name,
				share(0), share(1), share(2), share(3), float64(runs[0])/float64(n), float64(runs[3])/float64(n))
		}
	}
	fmt.Fprintln(out)
}

// sequence is one sequential study: the runs of each side in their order.
type sequence struct {
	old, new []float64
	seed     uint64
}

// customaryRuns are the runs of both sides: all old before all new, or in
// pairs whose order is random.
func customaryRuns(s scene, r *rand.Rand, n int, alternating bool) (old, new []float64) {
	env := s.environment(2*n*runTicks+buildTime, referenceTick, r)
	take := func() float64 {
		v := mean(env[:runTicks]) * math.Exp(r.NormFloat64()*s.invocation)
		env = env[runTicks:]
		return v
	}
	if !alternating {
		for range n {
			old = append(old, take())
		}
		env = env[buildTime:]
		for range n {
			new = append(new, take())
		}
		return old, new
	}
	for range n {
		a, b := take(), take()
		if r.Uint64()&1 == 0 {
			a, b = b, a
		}
		old, new = append(old, a), append(new, b)
	}
	return old, new
}

func rankTest(q sequence) (bool, int) {
	return stats.MannWhitney(q.old, q.new).P <= plan.Alpha, 2 * len(q.old)
}

func peeking(q sequence) (bool, int) {
	for n := 5; n <= len(q.old); n++ {
		if different, runs := rankTest(sequence{q.old[:n], q.new[:n], 0}); different {
			return true, runs
		}
	}
	return false, 2 * len(q.old)
}

func least(q sequence) (bool, int) {
	return math.Abs(slices.Min(q.new)/slices.Min(q.old)-1) > plan.Delta, 2 * len(q.old)
}

// bootstrap is the percentile interval of the ratio of 20% trimmed means.
func bootstrap(q sequence) (bool, int) {
	const resamples = 400
	r := rand.New(rand.NewPCG(q.seed, 0))
	trimmed := func(x []float64) float64 {
		y := make([]float64, len(x))
		for i := range y {
			y[i] = x[r.IntN(len(x))]
		}
		slices.Sort(y)
		cut := len(y) / 5
		return mean(y[cut : len(y)-cut])
	}
	ratios := make([]float64, resamples)
	for i := range ratios {
		ratios[i] = trimmed(q.new) / trimmed(q.old)
	}
	return stats.Quantile(ratios, plan.Alpha/2) > 1 || stats.Quantile(ratios, 1-plan.Alpha/2) < 1, 2 * len(q.old)
}
