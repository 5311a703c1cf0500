package study

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/worker"
)

// countAll counts benchmarks without timing them. A process of a variant calls
// all benchmarks of a package in turn. Since nothing is timed, as many processes
// as CPUs run at the same time. It reports the benchmarks that a total does not
// reach.
func (r *runner) countAll(ctx context.Context, benches []*bench) error {
	counting, cancel := r.withinTotal(ctx)
	defer cancel()
	s := r.newCounter()
	var recording sync.Mutex
	var failed error
	err := inGroups(benches, func(of []*bench) error {
		bins, err := of[0].links.binaries(counting, 0)
		if err == nil {
			s.count(counting, of, bins)
		}
		recording.Lock()
		defer recording.Unlock()
		for _, b := range of {
			if failed == nil && (b.counted.failed != nil || len(b.processes) > 0) {
				failed = r.recordCounts(b)
			}
		}
		return err
	})
	for _, b := range benches {
		if ctx.Err() != nil && !b.done {
			return r.interrupted(ctx, b)
		}
	}
	if err := cmp.Or(failed, err); err != nil {
		return err
	}
	return r.stopAll(benches)
}

// inGroups calls count for the groups of [inProcesses]. It returns its first error.
func inGroups(benches []*bench, count func(of []*bench) error) (err error) {
	fast, slow := inProcesses(benches)
	for _, part := range [][][]*bench{fast, slow} {
		var groups errgroup.Group
		for _, of := range part {
			groups.Go(func() error { return count(of) })
		}
		err = cmp.Or(err, groups.Wait())
	}
	return err
}

// inProcesses groups the remaining benchmarks by package and GOMAXPROCS. A
// function with a slow operation has its own processes, which come last, so
// that it delays no other benchmark. The slowest starts first, so that no CPU
// waits for it at the end.
func inProcesses(benches []*bench) (fast, slow [][]*bench) {
	slowest := make(map[result.Key]bool)
	for _, b := range benches {
		if b.each() > shortCall {
			slowest[b.function()] = true
		}
	}
	remaining := slices.DeleteFunc(slices.Clone(benches), func(b *bench) bool { return b.done })
	groups := grouped(remaining, func(b *bench) result.Key {
		if slowest[b.function()] {
			return b.function()
		}
		return result.Key{Pkg: b.Pkg, Procs: b.Procs}
	})
	for _, of := range groups {
		if slowest[of[0].function()] {
			slow = append(slow, of)
		} else {
			fast = append(fast, of)
		}
	}
	slices.SortStableFunc(slow, func(a, b []*bench) int { return cmp.Compare(together(b), together(a)) })
	return fast, slow
}

func together(of []*bench) (sum time.Duration) {
	for _, b := range of {
		sum += b.each()
	}
	return sum
}

func (b *bench) function() result.Key {
	name, _, _ := strings.Cut(b.Name, "/")
	return result.Key{Pkg: b.Pkg, Name: name, Procs: b.Procs}
}

// counts are the counts of a benchmark that are not recorded yet.
type counts struct {
	rounds []result.Round
	failed *Failed
	// longest is the time of a process for the benchmark, and shortest of one that
	// only makes its last pair of calls, of iterations and twice as many.
	longest, shortest time.Duration
	iterations        int64
	// metrics is the number of metrics that a call or the end of a benchmark reports.
	metrics int
	// brief is set when processes only make these calls.
	brief bool
	// first are the bytes that the first call after a collection allocates more
	// than the second one, by variant, in the process with the least.
	first map[int]uint64
	// growth are the allocations per operation at two lengths, by variant and
	// process.
	growth map[int][]growth
	// scaling are the metrics that grow with the length of a call, by variant.
	scaling map[int]map[string]scaled
}

type counter struct {
	r *runner
	// A process takes one token, or alone and all tokens.
	tokens, alone chan struct{}
	// until is when no further call begins. It is zero without a limit.
	until time.Time
}

func (s *counter) over() bool {
	return s.r.late() || !s.until.IsZero() && time.Now().After(s.until)
}

func (r *runner) newCounter() *counter {
	return &counter{r: r, tokens: make(chan struct{}, runtime.GOMAXPROCS(0)), alone: make(chan struct{}, 1)}
}

// count counts benchmarks of one package in stages of processes of each variant,
// until the judge needs no more. The first stage is one process, which shows the
// time of a process. If the budget of a benchmark has no room for all, and they
// may show a difference, the others are brief, and may take the budget again.
func (s *counter) count(ctx context.Context, of []*bench, bins map[int]Binary) {
	for done := 0; ctx.Err() == nil && !s.over(); {
		more := math.MaxInt
		of = slices.DeleteFunc(slices.Clone(of), func(b *bench) bool {
			wanted, equal := judge.Counting(s.r.o.Study, b.processes, b.counted.metrics)
			needed := wanted - done
			if done == 0 {
				needed = 1
			}
			budget := seconds(s.r.budget())
			full := budget > 0 && time.Duration(needed+done)*b.counted.longest > budget
			b.counted.brief = b.counted.brief || full
			over := len(b.processes) < done || needed <= 0 || full && (equal || time.Duration(needed)*b.counted.shortest > budget)
			if !over && b.counted.failed == nil {
				more = min(more, needed)
			}
			return over || b.counted.failed != nil
		})
		if len(of) == 0 {
			return
		}
		found := make([][]map[string]leafBenchmark, more)
		var wg sync.WaitGroup
		for p := range found {
			found[p] = make([]map[string]leafBenchmark, s.r.variants())
			for v := range found[p] {
				wg.Go(func() { found[p][v] = s.process(ctx, of, v, done+p, bins) })
			}
		}
		wg.Wait()
		done += more
		for _, process := range found {
			for _, b := range of {
				b.addCounts(process)
			}
		}
	}
}

// process calls benchmarks in the given process of variant v. If one fails, the process
// is repeated alone, since two processes may need the same port or file.
func (s *counter) process(ctx context.Context, of []*bench, v, number int, bins map[int]Binary) map[string]leafBenchmark {
	bin, ok := bins[v]
	of = slices.DeleteFunc(slices.Clone(of), func(b *bench) bool { return slices.Contains(b.Missing, v) })
	if !ok || len(of) == 0 {
		return nil
	}
	if !bin.Overlaid {
		return s.failed(of, "its binary runs without the overlay ("+bin.WhyNot+") and cannot count: remove -units counts")
	}
	run := func(tokens int) (all map[string]leafBenchmark, ok bool) {
		for range tokens {
			s.tokens <- struct{}{}
		}
		if all, ok = s.once(ctx, of, number, bin); ctx.Err() != nil {
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

func (s *counter) once(ctx context.Context, of []*bench, number int, bin Binary) (map[string]leafBenchmark, bool) {
	wanted := make(map[string]*bench)
	for _, b := range of {
		wanted["Benchmark"+b.Name] = b
	}
	sel := selection{plan: s.r.o.Plan, procs: s.r.procsOf(bin, of[0].Procs), home: s.r.home}
	if len(of) == 1 {
		sel.plan.Bench, sel.plan.Skip = of[0].pattern(), ""
	} else {
		sel.plan.Skip = either(sel.plan.Skip, s.others(of))
	}
	sel.calls = func(f leafBenchmark) []worker.Slot {
		b := wanted[f.name]
		if b == nil || s.over() || ctx.Err() != nil {
			return nil
		}
		if len(f.calls) == 0 {
			s.r.event(Event{Phase: "counting", Benchmark: result.Benchmark{Key: b.Key}})
		}
		return s.r.calls(f, b.counted, number)
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
	var names []string
	for _, b := range s.r.benches {
		name := b.function().Name
		if b.Pkg == of[0].Pkg && !slices.ContainsFunc(of, func(o *bench) bool { return o.function().Name == name }) {
			names = append(names, "Benchmark"+name)
		}
	}
	return result.ExactPattern(names...)
}

func (s *counter) failed(of []*bench, message string) map[string]leafBenchmark {
	all := make(map[string]leafBenchmark)
	for _, b := range of {
		all["Benchmark"+b.Name] = leafBenchmark{name: b.Name, outcome: failedReason, message: message}
	}
	return all
}

// calls are the next calls of a benchmark in a process: longer pairs as long as
// they are short, then the longest again until two pairs agree.
func (r *runner) calls(f leafBenchmark, so counts, number int) (orders []worker.Slot) {
	order := func(lengths ...int64) (orders []worker.Slot) {
		for _, n := range lengths {
			orders = append(orders, worker.Slot{N: n, Reading: worker.Every})
		}
		return orders
	}
	if so.brief && len(f.calls) > 0 {
		return nil
	}
	if so.brief {
		n := so.iterations
		if r.o.Iterations == 0 {
			n += n / 2 * int64(number%3)
		}
		return order(n, n, 2*n)
	}
	if len(f.calls) == 0 {
		return order(1, 1, 2) // the first one fills pools
	}
	pairs := len(f.calls) / 2
	last := f.calls[len(f.calls)-1]
	n := last.N / 2
	switch {
	case r.o.Iterations > 0:
		n = r.o.Iterations
	case pairs < len(shortestCalls) && last.Own() < float64(shortCall):
		n = shortestCalls[pairs] + shortestCalls[pairs]/2*int64(number%3)
	}
	if pairs > 1 && n == last.N/2 && (pairs == mostPairs || slopeOf(leastPair(f.calls)) == slopeOf(f.calls[2*pairs-3:])) || pairs == 1 && n == 1 {
		return nil
	}
	return order(n, 2*n)
}

// leastPair are the calls that allocate least of those with the lengths of the
// last pair. What the runtime allocates meanwhile, such as the state of a thread,
// adds to few of equal calls.
func leastPair(calls []result.Slice) []result.Slice {
	pair := slices.Clone(calls[len(calls)-2:])
	for i := range pair {
		for _, c := range calls {
			if c.N == pair[i].N && c.Mallocs <= pair[i].Mallocs && c.Bytes <= pair[i].Bytes {
				pair[i] = c
			}
		}
	}
	return pair
}

func slopeOf(pair []result.Slice) (slope [2]float64) {
	short, long := pair[0], pair[1]
	n := float64(long.N - short.N)
	return [2]float64{(float64(long.Mallocs) - float64(short.Mallocs)) / n, (float64(long.Bytes) - float64(short.Bytes)) / n}
}

func (b *bench) addCounts(process []map[string]leafBenchmark) {
	rounds := []result.Round{{Slices: make([]result.Slice, len(process))}, {Slices: make([]result.Slice, len(process))}}
	whole := true
	for v, all := range process {
		if slices.Contains(b.Missing, v) {
			continue
		}
		f := all["Benchmark"+b.Name]
		if f.outcome != "" && b.counted.failed == nil {
			b.counted.failed = &Failed{Variant: v, Reason: f.outcome, Message: f.message}
		}
		took := f.took
		for _, s := range f.calls {
			took += time.Duration(s.Span)
		}
		b.counted.longest = max(b.counted.longest, took)
		if whole = whole && len(f.calls) > 2; !whole {
			continue // it failed, or the time is over
		}
		last := leastPair(f.calls)
		if b.counted.iterations == 0 {
			b.counted.iterations = last[0].N
		}
		b.counted.shortest = max(b.counted.shortest, f.took+time.Duration(2*last[0].Span+last[1].Span))
		for i, s := range last {
			b.counted.metrics, s.Metrics = max(b.counted.metrics, len(s.Metrics), f.metrics), nil
			rounds[i].Slices[v] = s
			rounds[i].Order = append(rounds[i].Order, v)
		}
		b.counted.note(v, f.calls)
	}
	if whole && len(rounds[0].Order) > 0 {
		b.counted.rounds = append(b.counted.rounds, rounds...)
		b.processes = append(b.processes, rounds)
	}
}

func (r *runner) recordCounts(b *bench) error {
	if f := b.counted.failed; f != nil {
		return r.stop(b, f.Reason, f)
	}
	blk := &result.Block{Benchmark: b.index, First: b.counted.rounds[0].Order[0], FuncOrders: make([]uint64, r.variants()), Counting: b.counted.rounds}
	for _, round := range blk.Counting {
		for _, s := range round.Slices {
			blk.SliceSeconds += s.Span / 1e9
		}
	}
	blk.Seconds = blk.SliceSeconds
	if err := r.findInCounts(b); err != nil {
		return err
	}
	b.counted = counts{}
	b.spent = time.Duration(blk.Seconds * 1e9)
	if err := r.record(b, blk, b.pilot); err != nil {
		return err
	}
	return r.stop(b, result.StopCounted, nil)
}
