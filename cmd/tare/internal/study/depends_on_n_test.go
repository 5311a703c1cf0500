package study

import (
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TestDependsOnN: a sum of all operations is found, and so is what grows from one to
// the next; a value of one operation is not, and one process that disagrees is
// enough.
func TestDependsOnN(t *testing.T) {
	type call func(n int) result.Slice
	metric := func(of func(n float64) float64) call {
		return func(n int) result.Slice { return result.Slice{Metrics: map[string]float64{"rows": of(float64(n))}} }
	}
	// allocate is what n operations allocate that call f for each.
	allocate := func(f func(i int) (allocations, bytes int)) call {
		return func(n int) (s result.Slice) {
			for i := range n {
				k, bytes := f(i)
				s.Mallocs, s.Bytes = s.Mallocs+uint64(k), s.Bytes+uint64(bytes)
			}
			return s
		}
	}
	sum, one := metric(func(n float64) float64 { return 3 * n }), metric(func(float64) float64 { return 3 })
	doubles := allocate(func(i int) (int, int) { // a slice of 8 bytes each, from 1
		if i&(i-1) == 0 {
			return 1, 16 * i
		}
		return 0, 0
	})
	for _, c := range []struct {
		name      string
		processes []call
		found     int
	}{
		{"a sum", []call{sum, sum}, 1},
		{"a value", []call{one, one}, 0},
		{"grows a little", []call{metric(func(n float64) float64 { return 3 + n/100 })}, 0},
		{"not everywhere", []call{sum, one}, 0},
		{"a buffer that doubles", []call{doubles, doubles}, 1},
		{"a string that each operation copies", []call{allocate(func(i int) (int, int) { return 1, 8 * i })}, 1},
		{"the bytes of all operations", []call{func(n int) result.Slice { return result.Slice{SetBytes: int64(64 * n)} }}, 1},
		{"the bytes of one", []call{func(n int) result.Slice { return result.Slice{SetBytes: 64} }}, 0},
		{"one allocation", []call{allocate(func(int) (int, int) { return 1, 64 })}, 0},
		{"a block for some operations", []call{allocate(func(i int) (int, int) {
			if i%10 == 0 {
				return 1, 4096
			}
			return 0, 0
		})}, 0},
	} {
		b := new(bench)
		for p, call := range c.processes {
			var calls []result.Slice
			for _, n := range []int{1, 1, 2, 12, 24, 120, 240} {
				if n > 10 {
					n += n / 2 * p
				}
				s := call(n)
				s.N = int64(n)
				calls = append(calls, s)
			}
			b.counted.noteGrowth(0, calls)
		}
		if f := dependsOnN(b, 0); len(f) != c.found {
			t.Errorf("%s: %v", c.name, f)
		}
	}
}
