package study

import (
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TestDependsOnN: a sum of all operations is found, a value of one is not, and
// one process that disagrees is enough.
func TestDependsOnN(t *testing.T) {
	process := func(metric func(n float64) float64) (calls []result.Slice) {
		for _, n := range []int64{1, 12, 120, 240, 480} {
			calls = append(calls, result.Slice{N: n, Metrics: map[string]float64{"rows": metric(float64(n))}})
		}
		return calls
	}
	sum := func(n float64) float64 { return 3 * n }
	one := func(float64) float64 { return 3 }
	root := func(n float64) float64 { return 3 + n/100 }
	for _, c := range []struct {
		name      string
		processes []func(float64) float64
		found     int
	}{
		{"a sum", []func(float64) float64{sum, sum}, 1},
		{"a value", []func(float64) float64{one, one}, 0},
		{"grows a little", []func(float64) float64{root, root}, 0},
		{"not everywhere", []func(float64) float64{sum, one}, 0},
	} {
		b := new(bench)
		for _, p := range c.processes {
			b.counted.noteMetrics(0, process(p))
		}
		if f := dependsOnN(b, 0); len(f) != c.found {
			t.Errorf("%s: %v", c.name, f)
		}
	}
}
