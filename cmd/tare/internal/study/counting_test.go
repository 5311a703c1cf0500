package study

import (
	"slices"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TestCounting: three processes count in every row, however slow or busy, with as
// many iterations as make fractions exact; if they disagree, eight, and then one a
// block.
func TestCounting(t *testing.T) {
	third := func(n int64, _ int) uint64 { return uint64(n) / 3 }
	stray := func(n int64, process int) uint64 { return uint64(n) + uint64(process)*uint64(n)/120 }
	grows := func(n int64, _ int) uint64 { return uint64(n * n) }
	called := make(map[int]bool)
	once := func(n int64, process int) uint64 {
		first := !called[process]
		if called[process] = true; first {
			return uint64(n) + 3
		}
		return uint64(n)
	}
	for _, c := range []struct {
		name      string
		perOp     time.Duration
		mallocs   func(n int64, process int) uint64
		calls     []int64 // of a process
		processes int     // of two blocks
		finding   string
	}{
		{"20 ns", 20, third, []int64{120, 240, 480}, 3, ""},
		{"1 ms", time.Millisecond, nil, []int64{1, 2, 4}, 3, ""},
		{"40 ms", 40 * time.Millisecond, nil, []int64{1, 2}, 3, ""},
		{"5 s", 5 * time.Second, nil, nil, 0, ""},
		{"a process allocates something once", 20, once, []int64{120, 240, 480}, 3, ""},
		{"processes differ", 20, stray, []int64{120, 240, 480}, 9, ""},
		{"every iteration allocates more", 20, grows, []int64{120, 240, 480}, 9, "not-linear"},
	} {
		f := &fake{names: []string{"X"}, perOp: []time.Duration{c.perOp, c.perOp}, mallocs: c.mallocs}
		rec, err := f.study(t, func(o *Options) { o.Watcher = after(2) })
		if err != nil {
			t.Fatal(err)
		}
		processes := 0
		for _, k := range rec.Benchmarks[0].Blocks {
			for _, process := range result.CountedProcesses(k.Counted()) {
				var calls []int64
				for _, r := range process {
					calls = append(calls, r.Slices[1].N)
				}
				if processes++; !slices.Equal(calls, c.calls) {
					t.Errorf("%s: calls of %d iterations, want %d", c.name, calls, c.calls)
				}
			}
		}
		if processes != c.processes {
			t.Errorf("%s: %d processes count, want %d", c.name, processes, c.processes)
		}
		found := ""
		for _, f := range rec.Findings {
			found += f.ID
		}
		if found != c.finding {
			t.Errorf("%s: findings %q, want %q", c.name, found, c.finding)
		}
	}
}

// TestAgreed: three processes that are alike settle a count; one that differs never
// does.
func TestAgreed(t *testing.T) {
	third, half := []float64{1, 111. / 333}, []float64{1, 0.5}
	for _, c := range []struct {
		name   string
		counts [][]float64
		want   bool
	}{
		{"one block", [][]float64{third, third}, false},
		{"three blocks alike", [][]float64{third, third, third, third, third, third}, true},
		{"one counts more", [][]float64{third, third, third, third, third, half}, false},
		{"the last three count the same", [][]float64{half, half, third, third, third, third, third, third}, false},
	} {
		if b := (&bench{counts: c.counts, processes: len(c.counts) / 2}); b.allocationsAgree() != c.want {
			t.Errorf("%s: agreed is %v", c.name, !c.want)
		}
	}
}
