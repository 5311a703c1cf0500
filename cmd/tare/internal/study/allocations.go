package study

import (
	"cmp"
	"context"
	"math"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/worker"
)

// countAll counts benchmarks without timing them. A process of a variant calls
// all benchmarks of a package in turn. Since nothing is timed, as many processes
// as CPUs run at the same time. It reports the benchmarks that a total does not
// reach.
func (r *runner) countAll(ctx context.Context, benches []*bench) (err error) {
	counting := ctx
	if r.o.TotalSeconds > 0 {
		_, hard := r.deadline()
		var cancel func()
		counting, cancel = context.WithDeadlineCause(ctx, hard, errTotal)
		defer cancel()
	}
	s := r.newCounter()
	groups := make(chan []*bench)
	fast, slow := inProcesses(benches)
	go func() {
		defer close(groups)
		for _, part := range [][][]*bench{fast, slow} {
			var wg sync.WaitGroup
			for _, of := range part {
				wg.Go(func() {
					if bins, err := of[0].links.binaries(counting, 0); err != nil {
						s.fail(err)
					} else {
						s.count(counting, of, bins, 0)
					}
					groups <- of
				})
			}
			wg.Wait()
		}
	}()
	for of := range groups {
		for _, b := range of {
			if err == nil && (b.counted.failed != nil || len(b.processes) >= judge.Agreeing(r.o.Study.Alpha, 1)) {
				err = r.recordCounts(b)
			}
		}
	}
	for _, b := range benches {
		if ctx.Err() != nil && !b.done {
			return r.interrupted(ctx, b)
		}
	}
	if err = cmp.Or(err, s.err); err != nil {
		return err
	}
	return r.stopAll(benches)
}

// inProcesses groups the remaining benchmarks by package and GOMAXPROCS. A
// function with a slow operation has its own processes, which come last, so
// that it delays no other benchmark. The slowest starts first, so that no CPU
// waits for it at the end.
func inProcesses(benches []*bench) (fast, slow [][]*bench) {
	slowest := make(map[result.Key]bool)
	for _, b := range benches {
		if b.each() > slowOperation {
			slowest[b.function()] = true
		}
	}
	groups := make(map[result.Key][]*bench)
	var order []result.Key
	for _, b := range benches {
		key := result.Key{Pkg: b.Pkg, Procs: b.Procs}
		if slowest[b.function()] {
			key = b.function()
		}
		if b.done {
			continue
		}
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], b)
	}
	for _, key := range order {
		if slowest[key] {
			slow = append(slow, groups[key])
		} else {
			fast = append(fast, groups[key])
		}
	}
	slices.SortStableFunc(slow, func(a, b []*bench) int { return cmp.Compare(together(b), together(a)) })
	return fast, slow
}

// together is the time of an iteration of each benchmark.
func together(of []*bench) (sum time.Duration) {
	for _, b := range of {
		sum += b.each()
	}
	return sum
}

// function is the key of a benchmark without its sub-benchmarks.
func (b *bench) function() result.Key {
	name, _, _ := strings.Cut(b.Name, "/")
	return result.Key{Pkg: b.Pkg, Name: name, Procs: b.Procs}
}

// counts are the counts of a benchmark.
type counts struct {
	rounds []result.Round
	failed *failure
}

// counter counts many benchmarks at once.
type counter struct {
	r *runner
	// A process takes one token, or alone and all tokens.
	tokens, alone chan struct{}
	mu            sync.Mutex
	err           error
}

func (r *runner) newCounter() *counter {
	return &counter{r: r, tokens: make(chan struct{}, runtime.GOMAXPROCS(0)), alone: make(chan struct{}, 1)}
}

// count counts benchmarks of one package in processes of each variant, until each
// has as many as it needs, or at least least. The first process of a slow
// operation comes first, since the others may then need fewer calls.
func (s *counter) count(ctx context.Context, of []*bench, bins map[int]Binary, least int) {
	expected := make(map[*bench]int)
	for {
		processes := math.MaxInt
		of = slices.DeleteFunc(slices.Clone(of), func(b *bench) bool {
			have := len(b.processes)
			wanted, _ := s.r.counting(b)
			more := max(wanted, least) - have
			if b.counted.failed != nil || more <= 0 || have < expected[b] {
				return true
			}
			if have == 0 && b.each() > slowOperation {
				more = 1
			}
			processes = min(processes, more)
			return false
		})
		if len(of) == 0 {
			return
		}
		for _, b := range of {
			expected[b] = len(b.processes) + processes
		}
		found := make([][]map[string]leafBenchmark, processes)
		var wg sync.WaitGroup
		for p := range found {
			found[p] = make([]map[string]leafBenchmark, s.r.variants())
			for v := range found[p] {
				wg.Go(func() { found[p][v] = s.process(ctx, of, v, bins) })
			}
		}
		wg.Wait()
		for _, process := range found {
			for _, b := range of {
				b.addCounts(process)
			}
		}
	}
}

// process calls benchmarks in a process of variant v. If one fails, the process
// is repeated alone, since two processes may need the same port or file.
func (s *counter) process(ctx context.Context, of []*bench, v int, bins map[int]Binary) map[string]leafBenchmark {
	bin, ok := bins[v]
	of = slices.DeleteFunc(slices.Clone(of), func(b *bench) bool { return slices.Contains(b.Missing, v) })
	if !ok || len(of) == 0 {
		return nil
	}
	if !bin.Overlaid {
		return s.failed(of, "its binary cannot count: remove -units counts")
	}
	run := func(tokens int) (all map[string]leafBenchmark, ok bool) {
		for range tokens {
			s.tokens <- struct{}{}
		}
		if all, ok = s.once(ctx, of, v, bin); ctx.Err() != nil {
			all, ok = nil, true
		}
		for range tokens {
			<-s.tokens
		}
		return all, ok
	}
	if !s.r.o.Alone {
		if all, ok := run(1); ok {
			return all
		}
	}
	s.alone <- struct{}{}
	defer func() { <-s.alone }()
	all, _ := run(cap(s.tokens))
	return all
}

// once runs a process. It reports whether all benchmarks were called.
func (s *counter) once(ctx context.Context, of []*bench, v int, bin Binary) (map[string]leafBenchmark, bool) {
	wanted := make(map[string]*bench)
	for _, b := range of {
		wanted["Benchmark"+b.Name] = b
	}
	sel := selection{plan: s.r.o.Plan, procs: s.r.procsOf(bin, of[0].Procs), home: s.r.home}
	if len(of) == 1 {
		sel.plan.Bench, sel.plan.Skip = of[0].pattern(), ""
	} else {
		sel.plan.Skip = strings.Join(slices.DeleteFunc([]string{sel.plan.Skip, s.others(of)}, func(p string) bool { return p == "" }), "|")
	}
	sel.calls = func(f leafBenchmark) []worker.Order {
		b := wanted[f.name]
		if b == nil || s.r.late() || ctx.Err() != nil {
			return nil
		}
		if len(f.calls) == 0 && !s.r.o.Timed() {
			s.r.event(Event{Phase: "measuring", Benchmark: result.Benchmark{Key: b.Key}})
		}
		return b.calls(f)
	}
	found, err := s.r.processes.discover(ctx, bin, sel)
	if err != nil {
		return s.failed(of, err.Error()), false
	}
	all, ok := make(map[string]leafBenchmark), true
	for _, f := range found {
		all[f.name] = f
		ok = ok && f.outcome == ""
	}
	for name := range wanted {
		if _, there := all[name]; !there {
			all[name], ok = leafBenchmark{name: name, outcome: failedReason, message: "the benchmark did not run"}, false
		}
	}
	return all, ok
}

// others is the pattern of the package's functions without any of these
// benchmarks. Sub-benchmarks stay together, since one may need the state that
// another leaves.
func (s *counter) others(of []*bench) string {
	top := func(b *bench) string { return regexp.QuoteMeta("Benchmark" + b.function().Name) }
	var names []string
	for _, b := range s.r.benches {
		if b.Pkg == of[0].Pkg && !slices.Contains(names, top(b)) && !slices.ContainsFunc(of, func(o *bench) bool { return top(o) == top(b) }) {
			names = append(names, top(b))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "^(" + strings.Join(names, "|") + ")$"
}

func (s *counter) failed(of []*bench, message string) map[string]leafBenchmark {
	all := make(map[string]leafBenchmark)
	for _, b := range of {
		all["Benchmark"+b.Name] = leafBenchmark{name: b.Name, outcome: failedReason, message: message}
	}
	return all
}

func (s *counter) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = cmp.Or(s.err, err)
}

// calls are the next calls of a benchmark in a process. A slow operation is
// called twice after the iteration that announced it. If the calls differ, a
// process allocates something once, and one more call begins the slope. If they
// still differ, four operations show whether the rest is a line. If the first
// process agrees, the announcing iteration is enough in the others.
func (b *bench) calls(f leafBenchmark) (orders []worker.Order) {
	limit, each := countingTime, b.each()
	if b.pilot.Paused {
		limit = pausedTime
	}
	n := int64(1)
	for _, most := range shortestCalls {
		if time.Duration(most)*each <= limit/8 {
			n = most
			break
		}
	}
	lengths := []int64{n, n, 2 * n, 4 * n}
	slow := each > limit/8
	switch {
	case slow && b.twice:
		return nil
	case slow && len(f.calls) == 0:
		lengths = []int64{2}
	case slow && len(f.calls) == 1 && !doubles(f.first, f.calls[0]):
		lengths = []int64{1}
	case slow && len(f.calls) == 2 && !doubles(f.calls[1], f.calls[0]):
		lengths = []int64{4}
	case len(f.calls) > 0:
		return nil
	}
	for _, n := range lengths {
		orders = append(orders, worker.Order{N: n, Reading: worker.Every})
	}
	return orders
}

// doubles reports whether two iterations allocated twice as much as one.
func doubles(one, two result.Slice) bool {
	return one.N == 1 && one.Counted && two.Counted && two.Mallocs == 2*one.Mallocs && two.Bytes == 2*one.Bytes
}

// counting are the calls that count, the shortest first. announced is set if the
// iteration that announced the benchmark is enough.
func (f leafBenchmark) counting(announced bool) []result.Slice {
	switch {
	case len(f.calls) == 4:
		return f.calls[1:]
	case len(f.calls) >= 2:
		slices.SortFunc(f.calls, func(a, b result.Slice) int { return cmp.Compare(a.N, b.N) })
		return f.calls
	case len(f.calls) == 1 && doubles(f.first, f.calls[0]):
		return []result.Slice{f.first, f.calls[0]}
	case announced && f.outcome == "" && f.first.Counted:
		return []result.Slice{f.first}
	}
	return nil
}

// addCounts adds the counts of a process of each variant.
func (b *bench) addCounts(process []map[string]leafBenchmark) {
	var rounds []result.Round
	alike := true
	for v, all := range process {
		if slices.Contains(b.Missing, v) {
			continue
		}
		f := all["Benchmark"+b.Name]
		alike = alike && len(f.calls) == 1
		if f.outcome != "" && b.counted.failed == nil {
			b.counted.failed = &failure{variant: v, reason: f.outcome, message: f.message}
		}
		b.noteFirst(v, f)
		calls := f.counting(b.twice)
		if rounds == nil {
			rounds = make([]result.Round, len(calls))
		}
		// One variant may have needed more calls.
		if rounds = rounds[:min(len(rounds), len(calls))]; len(rounds) == 0 {
			return // it failed, or the total is over
		}
		for i := range rounds {
			s := calls[i]
			if rounds[i].Slices == nil {
				rounds[i].Slices = make([]result.Slice, len(process))
			}
			s.Metrics = nil
			rounds[i].Slices[v] = s
			rounds[i].Order = append(rounds[i].Order, v)
		}
	}
	b.counted.rounds = append(b.counted.rounds, rounds...)
	if len(b.processes) == 0 {
		b.twice = alike
	}
	b.noteAllocations(rounds)
}

// recordCounts writes the counts of a benchmark and ends it.
func (r *runner) recordCounts(b *bench) error {
	if f := b.counted.failed; f != nil {
		return r.stop(b, f.reason, f)
	}
	blk := &result.Block{Benchmark: b.index, First: b.counted.rounds[0].Order[0], FuncOrders: make([]uint64, r.variants()), Counting: b.counted.rounds}
	for _, round := range blk.Counting {
		for _, s := range round.Slices {
			blk.SliceSeconds += s.Span / 1e9
		}
	}
	blk.Seconds = blk.SliceSeconds
	b.counted = counts{}
	if err := r.findInCounts(b, blk.Counting); err != nil {
		return err
	}
	b.spent = time.Duration(blk.Seconds * 1e9)
	if err := r.record(b, blk, b.pilot); err != nil {
		return err
	}
	return r.stop(b, result.StopCounted, nil)
}
