package study

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TestCounting: three processes of a variant count, with or without time, with as
// many iterations as the operation has time for, or as the user asks; if they
// disagree, eight, and only one if more do not fit into the budget. An operation
// that is slow for its budget has the counts of its timed slices.
func TestCounting(t *testing.T) {
	third := func(n int64, _ int) uint64 { return uint64(n) / 3 }
	differ := func(n int64, process int) uint64 { return uint64(n) + uint64(process)*uint64(n)/6 }
	grows := func(n int64, _ int) uint64 { return uint64(n * n) }
	setup := func(n int64, _ int) uint64 { return min(64*uint64(n), 2048) } // of 16 B
	strays := func() func(int64, int) uint64 {
		calls := make(map[int]int)
		return func(n int64, process int) uint64 {
			if calls[process]++; calls[process] == 5+process { // one in every process
				return uint64(n) + 3
			}
			return uint64(n)
		}
	}
	often := func() func(int64, int) uint64 {
		calls := make(map[int]int)
		return func(n int64, process int) uint64 {
			if calls[process]++; (calls[process]+process)%4 == 3 { // one call in four
				return uint64(n) + 1
			}
			return uint64(n)
		}
	}
	for _, c := range []struct {
		name      string
		perOp     time.Duration
		mallocs   func(n int64, process int) uint64
		fixed     int64
		call      int64 // iterations of the shorter call of the first process
		processes int
		timed     int // processes in a study of time
		finding   string
	}{
		{"20 ns", 20, third, 0, 120, 3, 3, ""},
		{"20 ns, -benchtime 1000x", 20, third, 1000, 1000, 3, 3, ""},
		{"100 µs", 100 * time.Microsecond, nil, 0, 120, 3, 3, ""},
		{"1 ms", time.Millisecond, nil, 0, 12, 3, 3, ""},
		{"50 ms", 50 * time.Millisecond, nil, 0, 1, 3, 3, ""},
		{"800 ms", 800 * time.Millisecond, nil, 0, 1, 1, 0, ""},
		{"pools fill in the middle", 20, strays(), 0, 120, 3, 3, ""},
		{"one of four calls allocates more", 20, often(), 0, 120, 3, 3, ""},
		{"processes differ", 20, differ, 0, 120, 8, 8, ""},
		{"every iteration allocates more", 20, grows, 0, 120, 8, 8, "not-linear"},
		{"a setup grows up to 32 KiB", 20, setup, 0, 120, 3, 3, "setup-allocates"},
	} {
		for _, units := range []string{"counts", "time"} {
			f := &fake{names: []string{"X", "Y"}, perOp: []time.Duration{c.perOp, c.perOp}, mallocs: c.mallocs}
			rec, err := f.study(t, func(o *Options) { o.Watcher, o.Units, o.Iterations = after(2), []string{units}, c.fixed })
			if err != nil {
				t.Fatal(err)
			}
			want := c.processes
			if units == "time" {
				want = c.timed
			}
			for _, row := range judge.Compare(rec).Benchmarks {
				if c.name == "a setup grows up to 32 KiB" && row.Unit != "sec/op" && (!row.Exact || row.New.Center != 0) {
					t.Errorf("%s, %s: %g %s, want none", c.name, units, row.New.Center, row.Unit)
				}
			}
			for _, b := range rec.Benchmarks {
				processes := result.CountedProcesses(b.Blocks[0].Counted())
				if len(processes) != want {
					t.Errorf("%s, %s: %d processes count %s, want %d", c.name, units, len(processes), b.Name, want)
				}
				for i, p := range processes {
					call := c.call
					if c.fixed == 0 {
						call += call / 2 * int64(i%3)
					}
					if len(p) != 2 || p[0].Slices[1].N != call || p[1].Slices[1].N != 2*call {
						t.Errorf("%s, %s: process %d: calls %+v, want %d and %d iterations", c.name, units, i, p, call, 2*call)
					}
				}
			}
			if groups := 2 * want; f.counted != groups && c.perOp < shortCall {
				t.Errorf("%s, %s: %d processes for two benchmarks, want %d", c.name, units, f.counted, groups)
			}
			if found := len(rec.Findings); (found > 0) != (c.finding != "") || found > 0 && rec.Findings[0].ID != c.finding {
				t.Errorf("%s, %s: findings %v, want %q", c.name, units, rec.Findings, c.finding)
			}
			if want := map[string]string{"counts": result.StopCounted, "time": "decided"}[units]; rec.Stops[0].Reason != want {
				t.Errorf("%s, %s: %+v", c.name, units, rec.Stops)
			}
		}
	}
}

// TestGoTestCounts: what the first call after a collection allocates more, and what
// each call allocates once, is no count. It is reported if it adds more than 1 B/op
// and more than 0.1% in go test.
func TestGoTestCounts(t *testing.T) {
	says := func(first, more string) string {
		return "the first call after a collection allocates " + first + " more: go test, which collects, shows up to " + more + " more in 10,000 iterations"
	}
	for _, c := range []struct {
		mallocs, setup, first uint64 // mallocs and setup of 16 B
		found                 string
	}{
		{200, 0, 2 << 10, ""}, // 1.8 B/op of 3,200
		{200, 0, 5 << 10, says("5 KiB", "4.42 B/op")},
		{2, 0, 9 << 10, ""}, // 0.99 B/op
		{2, 0, 64 << 10, says("64 KiB", "7.05 B/op")},
		{0, 0, 9 << 10, ""},
		{0, 0, 40 << 10, says("40 KiB", "4.1 B/op")},
		{2, 600, 0, ""}, // 0.96 B/op
		{2, 2000, 0, "the setup of each call allocates 31.2 KiB, not counted here: go test shows 3.2 B/op more in 10,000 iterations"},
		{200, 2000, 0, ""}, // 3.2 B/op of 3,200
	} {
		f := &fake{names: []string{"X"}, perOp: []time.Duration{20, 20}, refill: c.first,
			mallocs: func(n int64, _ int) uint64 { return c.setup + c.mallocs*uint64(n) }}
		rec, err := f.study(t, func(o *Options) { o.Units = []string{"counts"} })
		if err != nil {
			t.Fatal(err)
		}
		found := ""
		for _, f := range rec.Findings {
			found += f.Message
		}
		if found != c.found {
			t.Errorf("%+v: findings %q", c, found)
		}
		for _, r := range rec.Benchmarks[0].Blocks[0].Counted() {
			if s := r.Slices[1]; s.Bytes != 16*(c.setup+c.mallocs*uint64(s.N)) {
				t.Errorf("%+v: %+v counts the first call", c, s)
			}
		}
	}
}

// TestCountsClash: a process that fails beside another is repeated alone. A
// benchmark that fails there too is the only one that fails.
func TestCountsClash(t *testing.T) {
	for name, clash := range map[string]func(string, int) bool{
		"":           func(_ string, beside int) bool { return beside > 1 },
		"BenchmarkY": func(name string, _ int) bool { return name == "BenchmarkY" },
	} {
		f := &fake{names: []string{"X", "Y"}, perOp: []time.Duration{time.Microsecond, time.Microsecond}, clash: clash}
		rec, err := f.study(t, func(o *Options) { o.Units = []string{"counts"} })
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range rec.Stops {
			want := result.StopCounted
			if "Benchmark"+rec.Benchmarks[s.Benchmark].Name == name {
				want = failedReason
			}
			if s.Reason != want {
				t.Errorf("%s of %s, want %s", s.Reason, rec.Benchmarks[s.Benchmark].Name, want)
			}
		}
	}
}

// TestSlowCountsApart: a function with a slow operation has its own processes,
// with all of its sub-benchmarks.
func TestSlowCountsApart(t *testing.T) {
	of := func(name string, each time.Duration) *bench {
		return &bench{Benchmark: result.Benchmark{Key: result.Key{Pkg: "p", Name: name}}, iteration: each}
	}
	fast, slow := inProcesses([]*bench{of("A", 1), of("B/x", 1), of("B/y", time.Second), of("C", 1), of("D", time.Second)})
	names := func(groups [][]*bench) (all []string) {
		for _, group := range groups {
			var names []string
			for _, b := range group {
				names = append(names, b.Name)
			}
			all = append(all, strings.Join(names, " "))
		}
		return all
	}
	if got, want := names(fast), []string{"A C"}; !slices.Equal(got, want) {
		t.Errorf("together: %q, want %q", got, want)
	}
	if got, want := names(slow), []string{"B/x B/y", "D"}; !slices.Equal(got, want) {
		t.Errorf("apart: %q, want %q", got, want)
	}
}

// TestLoadCountsAlike: an operation that takes longer beside other work has shorter
// calls, and the same counts: first calls and pools are no part of them.
func TestLoadCountsAlike(t *testing.T) {
	for _, perOp := range []time.Duration{time.Microsecond, time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond} {
		for _, units := range []string{"counts", "time"} {
			calls := make(map[int]int)
			f := &fake{names: []string{"X"}, perOp: []time.Duration{perOp, perOp}, refill: 4096}
			f.mallocs = func(n int64, process int) uint64 {
				if calls[process]++; calls[process] <= 2 {
					return 26*uint64(n) + 7
				}
				return 26 * uint64(n)
			}
			f.fewer = 1
			rec, err := f.study(t, func(o *Options) { o.Watcher, o.Units = after(2), []string{units} })
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range judge.Compare(rec).Benchmarks {
				if row.Unit == "B/op" && (!row.Exact || row.Old.Center != 400 || row.New.Center != 416 || row.Verdict != result.Slower) {
					t.Errorf("%v, %s: %g to %g B/op, %s", perOp, units, row.Old.Center, row.New.Center, row.Verdict)
				}
			}
		}
	}
}

// TestDifferencesAreCounted: if the budget ends before enough processes agree on
// a difference, the others make few calls, up to the budget again. So a
// deterministic difference is decided if its setup takes long, or its operation.
func TestDifferencesAreCounted(t *testing.T) {
	for _, c := range []struct {
		name         string
		perOp, setup time.Duration
		equal        bool
		calls        []int64 // the longer call of each process
	}{
		{"long setup", 20 * time.Microsecond, 400 * time.Millisecond, false, []int64{240, 360, 480, 240}},
		{"long setup of equal counts", 20 * time.Microsecond, 400 * time.Millisecond, true, []int64{240}},
		{"slow operation", 150 * time.Millisecond, 0, false, []int64{2, 2, 2, 2}},
		{"slow operation with equal counts", 500 * time.Millisecond, 0, true, nil},
	} {
		for _, units := range []string{"counts", "time"} {
			mallocs := func(n int64, _ int) uint64 { return 310 * uint64(n) }
			f := &fake{names: []string{"X", "Y", "Z"}, perOp: []time.Duration{c.perOp, c.perOp}, setup: c.setup, mallocs: mallocs, halved: !c.equal}
			f.first = func(_ string, variant int) uint64 {
				return 310 - 155*uint64(variant)*map[bool]uint64{false: 1}[c.equal]
			}
			rec, err := f.study(t, func(o *Options) {
				o.Watcher, o.Units, o.BudgetSeconds = after(2), []string{units}, 6
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range judge.Compare(rec).Benchmarks {
				want := result.Faster
				if c.equal {
					want = result.Same
				}
				if row.Unit == "allocs/op" && (row.Verdict != want || !row.Exact) {
					t.Errorf("%s, %s: %s is %s, %s", c.name, units, row.Name, row.Verdict, row.Reason)
				}
			}
			var calls []int64
			for _, p := range result.CountedProcesses(rec.Benchmarks[0].Blocks[0].Counted()) {
				calls = append(calls, p[1].Slices[1].N)
			}
			if !slices.Equal(calls, c.calls) && (units == "time" || c.calls != nil) {
				t.Errorf("%s, %s: calls %v, want %v", c.name, units, calls, c.calls)
			}
		}
	}
}
