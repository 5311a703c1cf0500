package study

import (
	"slices"
	"strings"
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

// TestCountsAlone: without time, three processes of each variant count all
// benchmarks, and eight those that disagree. A slow operation is called once, by
// its announcement, and twice; only once in the later processes if that was
// twice as much.
func TestCountsAlone(t *testing.T) {
	same := func(n int64, _ int) uint64 { return uint64(n) }
	third := func(n int64, _ int) uint64 { return uint64(n) / 3 }
	stray := func(n int64, process int) uint64 { return uint64(n) + uint64(process)*uint64(n)/40 }
	grows := func(n int64, _ int) uint64 { return uint64(n * n) }
	calls := make(map[int]int)
	once := func(n int64, process int) uint64 {
		if calls[process]++; calls[process] == 1 {
			return uint64(n) + 3
		}
		return uint64(n)
	}
	for _, c := range []struct {
		name      string
		perOp     time.Duration
		mallocs   func(n int64, process int) uint64
		calls     []int64
		processes int
		finding   string
	}{
		{"20 ns", 20, third, []int64{120, 240, 480}, 3, ""},
		{"1 ms", time.Millisecond, nil, []int64{1, 2, 4}, 3, ""},
		{"5 s", 5 * time.Second, same, []int64{1, 2}, 3, ""},
		{"5 s, a process allocates something once", 5 * time.Second, once, []int64{1, 2}, 3, ""},
		{"processes differ", 20, stray, []int64{120, 240, 480}, 8, ""},
		{"2 ms, every iteration allocates more", 2 * time.Millisecond, grows, []int64{1, 2, 4}, 8, "not-linear"},
		{"every iteration allocates more", 20, grows, []int64{120, 240, 480}, 8, "not-linear"},
	} {
		clear(calls)
		f := &fake{names: []string{"X", "Y"}, perOp: []time.Duration{c.perOp, c.perOp}, mallocs: c.mallocs}
		rec, err := f.study(t, func(o *Options) { o.Units = []string{"counts"} })
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range rec.Benchmarks {
			processes := result.CountedProcesses(b.Blocks[0].Counted())
			if len(b.Blocks) != 1 || len(processes) != c.processes {
				t.Errorf("%s: %d processes in %d blocks, want %d", c.name, len(processes), len(b.Blocks), c.processes)
			}
			for i, process := range processes {
				var lengths []int64
				for _, r := range process {
					lengths = append(lengths, r.Slices[1].N)
				}
				want := c.calls
				if c.perOp > time.Second && i > 0 && (c.name == "5 s" || len(lengths) == 1) {
					want = []int64{1} // X precedes Y, and may allocate what the process does once
				} else if slope := result.Differences(process)[0].Slices[1]; c.perOp > time.Second && slope.Mallocs != 1 {
					t.Errorf("%s: %+v, want one allocation", c.name, slope)
				}
				if !slices.Equal(lengths, want) {
					t.Errorf("%s: calls of %d iterations, want %d", c.name, lengths, want)
				}
			}
		}
		want := 2 * c.processes
		if c.perOp > slowOperation {
			want *= 2 // each has its own
		}
		if f.counted != want || len(f.starts) != 0 {
			t.Errorf("%s: %d processes for two benchmarks, want %d", c.name, f.counted, want)
		}
		if found := len(rec.Findings); (found > 0) != (c.finding != "") || found > 0 && rec.Findings[0].ID != c.finding {
			t.Errorf("%s: findings %v, want %q", c.name, rec.Findings, c.finding)
		}
		if rec.Stops[0].Reason != result.StopCounted {
			t.Errorf("%s: %+v", c.name, rec.Stops)
		}
	}
}

// TestGoTestCounts: what the first call after a collection allocates more, and what
// each call allocates once, is no count. It is reported if it adds more than 1 B/op
// and more than 0.1% in go test.
func TestGoTestCounts(t *testing.T) {
	says := func(first, more string) string {
		return "the first call after a collection allocates " + first + " more, such as buffers of pools: go test, which collects, shows up to " + more + " more in 10,000 iterations"
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
		{2, 2000, 0, "the set-up of each call allocates 31.2 KiB, which is not counted: go test counts it, and shows 3.2 B/op more in 10,000 iterations"},
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

// TestAgreed: three processes that are alike settle a count, also if a call with a
// collection has a stray allocation. One that differs never does, nor do
// allocations in every second call or without a collection.
func TestAgreed(t *testing.T) {
	thirds := func(_, _ int, n int64) uint64 { return uint64(n) / 3 }
	plus := func(more func(process, call int) int) func(int, int, int64) uint64 {
		return func(process, call int, n int64) uint64 { return uint64(n)/3 + uint64(more(process, call)) }
	}
	for _, c := range []struct {
		name      string
		processes int
		mallocs   func(process, call int, n int64) uint64
		want      bool
	}{
		{"two processes", 2, thirds, false},
		{"three processes alike", 3, thirds, true},
		{"a stray in one call", 3, plus(func(p, i int) int { return p % 2 * (i % 2) }), true},
		{"more without a collection", 3, plus(func(p, i int) int { return p % 2 * (i / 2) }), false},
		{"strays in two of nine calls", 3, plus(func(p, i int) int { return min(p, 1) * (i % 2) }), false},
		{"strays in three of 24 calls", 8, plus(func(p, i int) int { return max(0, p-4) * (i % 2) }), true},
		{"more in every second call", 8, plus(func(p, i int) int { return 40 * ((3*p + i) % 2) }), false},
		{"one process in eight counts more", 8, func(p, _ int, n int64) uint64 { return uint64(n)/3 + uint64(p/7)*uint64(n)/120 }, false},
		{"two counted another number", 8, func(p, _ int, n int64) uint64 { return uint64(n) / uint64(3-max(0, p-5)) }, false},
	} {
		var b bench
		for p := range c.processes {
			var calls []result.Round
			for i, n := range []int64{120, 240, 480} {
				one := result.Slice{N: n, Counted: true, Mallocs: uint64(n), Bytes: 16 * uint64(n)}
				two := result.Slice{N: n, Counted: true, Collected: i < 2, Mallocs: c.mallocs(p, i, n), Bytes: 16 * uint64(n)}
				calls = append(calls, result.Round{Slices: []result.Slice{one, two}})
			}
			b.noteAllocations(calls)
		}
		r := runner{o: Options{Study: result.Study{Plan: result.Plan{Alpha: 0.05}}}}
		if _, agree := r.counting(&b); agree != c.want {
			t.Errorf("%s: agreed is %v", c.name, !c.want)
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

// TestCountsOfUnlikeVariants: if one variant needs more calls than the other, the
// calls that both have count.
func TestCountsOfUnlikeVariants(t *testing.T) {
	call := func(n int64, mallocs uint64) result.Slice {
		return result.Slice{N: n, Counted: true, Mallocs: mallocs}
	}
	of := func(first result.Slice, calls ...result.Slice) map[string]leafBenchmark {
		return map[string]leafBenchmark{"BenchmarkX": {first: first, calls: calls}}
	}
	for _, more := range []int{0, 1} {
		process := []map[string]leafBenchmark{of(call(1, 5), call(2, 10)), of(call(1, 5), call(2, 10))}
		process[more] = of(call(1, 8), call(2, 11), call(1, 6), call(4, 21))
		b := &bench{Benchmark: result.Benchmark{Key: result.Key{Name: "X"}}}
		b.addCounts(process)
		if len(b.processes) != 1 || len(b.processes[0]) != 2 || b.twice {
			t.Fatalf("variant %d has more: %+v", more, b.processes)
		}
		for v, s := range result.Differences(b.processes[0])[0].Slices {
			if s.N != 1 || s.Mallocs != 5 {
				t.Errorf("variant %d has more: %+v of variant %d, want 5 allocations", more, s, v)
			}
		}
	}
}
