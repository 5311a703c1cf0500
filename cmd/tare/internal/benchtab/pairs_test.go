package benchtab

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
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
// not hide the change.
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
