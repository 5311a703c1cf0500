package benchtab

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// interleaved returns alternating runs of old and new while the machine drifts
// by more than the change.
func interleaved(change float64, n int, seed uint64) string {
	random := rand.New(rand.NewPCG(seed, 2))
	var b strings.Builder
	for i := range n {
		drift := 100 * (1 + 0.05*float64(i))
		for _, side := range []struct {
			name  string
			times float64
		}{{"old", 1}, {"new", 1 + change}} {
			fmt.Fprintf(&b, "side: %s\nBenchmarkX 1 %.6f ns/op\n", side.name, drift*side.times*math.Exp(0.002*random.NormFloat64()))
		}
	}
	return b.String()
}

// Runs that alternate in one file are compared in pairs: a common drift does
// not hide the change. The p column of benchstat is unaffected.
func TestInterleavedRunsArePairs(t *testing.T) {
	o := usual
	o.Col = "side"
	tables := tablesOf(t, o, interleaved(0.03, 10, 1))
	row := tables.Comparison().Benchmarks[0]
	if row.Verdict != result.Slower || row.Change.Lo < 1.02 || row.Change.Hi > 1.04 {
		t.Errorf("3%% slower under drift: %+v", row)
	}
	if want := 2 * math.Pow(2, -10); *row.P != want {
		t.Errorf("p = %v of ten pairs of one sign, want %v", *row.P, want)
	}
	if cell := tables.Tables[0].Rows[0].Cells[1]; cell.P < 0.3 {
		t.Errorf("p of the unpaired test is %v: the drift is larger than the change", cell.P)
	}
	// The same values in two files: their neighbors are unknown.
	var old, new []float64
	for i, line := range strings.Split(interleaved(0.03, 10, 1), "\n") {
		var v float64
		if _, err := fmt.Sscanf(line, "BenchmarkX 1 %f", &v); err == nil {
			if i%4 == 1 {
				old = append(old, v)
			} else {
				new = append(new, v)
			}
		}
	}
	if len(old) != 10 || len(new) != 10 {
		t.Fatalf("%d and %d values", len(old), len(new))
	}
	if row := comparisonOf(t, usual, lines("X", "ns/op", old...), lines("X", "ns/op", new...)).Benchmarks[0]; row.Verdict != result.Undecided {
		t.Errorf("the same values in two files: %+v", row)
	}
}

// The statistics are compared with scipy.stats.brunnermunzel and with a
// calculation by hand.
func TestStudentized(t *testing.T) {
	x := slices.Sorted(slices.Values([]float64{1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 1, 1}))
	y := slices.Sorted(slices.Values([]float64{3, 3, 4, 3, 1, 2, 3, 1, 1, 5, 4}))
	statistic, degrees := brunnerMunzel(x, y)
	if math.Abs(statistic-3.1374674823029505) > 1e-12 || math.Abs(stats.FTail(statistic*statistic, 1, degrees)-0.0057862086661515377) > 1e-12 {
		t.Errorf("statistic %v with %v degrees of freedom", statistic, degrees)
	}
	// (1.46 - 1.51)/√(0.023/5 + 0.0072/4) = -0.05/0.08, by hand.
	if got, _ := welch([]float64{1.3, 1.45, 1.5, 1.6, 1.7}, []float64{1.38, 1.4, 1.5, 1.56}); math.Abs(got+0.625) > 1e-12 {
		t.Errorf("Welch's t is %v", got)
	}
	if got := studentized([]float64{1, 1, 1}, []float64{1, 1}); got != 1 {
		t.Errorf("all alike: p = %v", got)
	}
	if got := studentized([]float64{1, 1, 1}, []float64{2, 2}); got != 0 {
		t.Errorf("apart without spread: p = %v", got)
	}
	if a, b := studentized(x, y), studentized(y, x); math.Abs(a-b) > 1e-12 {
		t.Errorf("p = %v, exchanged %v", a, b)
	}
}

// Only the spread and the number of runs changed. The Mann–Whitney test alone
// calls 15 to 17% of such pairs different.
func TestUnevenSamples(t *testing.T) {
	for _, c := range []struct {
		n, m  int
		ratio float64
		limit float64 // share of false verdicts, with four standard deviations
	}{{20, 5, 4, 0.07}, {30, 8, 5, 0.05}, {10, 10, 4, 0.05}, {12, 12, 1, 0.05}} {
		const times = 150
		alone, wrong := 0, 0
		for seed := range uint64(times) {
			random := rand.New(rand.NewPCG(seed, 77))
			draw := func(n int, sd float64) []float64 {
				out := make([]float64, n)
				for i := range out {
					out[i] = 100 * math.Exp(0.01*sd*random.NormFloat64())
				}
				return out
			}
			o := usual
			o.Delta = 0
			row := comparisonOf(t, o, lines("X", "ns/op", draw(c.n, 1)...), lines("X", "ns/op", draw(c.m, c.ratio)...)).Benchmarks[0]
			if *row.P <= 0.05 {
				alone++
			}
			if row.Verdict == result.Faster || row.Verdict == result.Slower {
				wrong++
			}
		}
		t.Logf("%d and %d runs, spread %v times: Mann–Whitney %d, verdicts %d of %d", c.n, c.m, c.ratio, alone, wrong, times)
		if limit := c.limit*times + 4*math.Sqrt(times*c.limit*(1-c.limit)); float64(wrong) > limit {
			t.Errorf("%d and %d runs, spread %v times: %d of %d called different, limit %.0f", c.n, c.m, c.ratio, wrong, times, limit)
		}
	}
}
