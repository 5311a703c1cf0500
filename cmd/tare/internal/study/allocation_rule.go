package study

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// Allocations are the slope of calls of different lengths, in processes that do
// nothing else. A few processes count, and more if their slopes differ: see
// [judge.Counting]. Then each block adds one. The calls of a
// process take at most countingTime together, or pausedTime if the benchmark
// stops its timer. A slower operation is called once and twice. One more call
// comes first, to make the allocations that a process makes once, such as
// buffers of a sync.Pool.
const (
	countingTime = 10 * time.Millisecond
	pausedTime   = 150 * time.Millisecond
	// slowOperation is the time from which an operation is counted in its
	// own processes, if only counts are measured.
	slowOperation = 50 * time.Millisecond
	// countingBlocks is the number of planned blocks whose time the first
	// processes may take. Slower operations are counted in their timed slices.
	countingBlocks = 5
	// countingLeast is the time that these processes may take with any budget.
	countingLeast = 0.25 // seconds
)

// shortestCalls are the possible numbers of operations in the shortest call. The
// greatest that fits is used. These small divisors make fractions of an
// allocation exact, and the bytes of objects that share 16 bytes.
var shortestCalls = [...]int64{120, 48, 24, 12, 6, 2, 1}

// count adds the counts of a block to it. It needs no plan and no timed slices.
// If a benchmark fails, the counts of its timed slices are used.
func (r *runner) count(ctx context.Context, a *attempt) error {
	b := a.b
	wanted, agree := r.counting(b)
	if wanted <= len(b.processes) {
		if agree || len(b.Blocks)+r.afford(b) < plannedBlocks {
			return nil // the budget is short of blocks, and the count has its interval
		}
		wanted = len(b.processes) + 1
	}
	if r.late() || r.countsSlowly(a) || slices.ContainsFunc(a.which, func(v int) bool { return !a.bins[v].Overlaid }) {
		return nil
	}
	r.newCounter().count(ctx, []*bench{b}, a.bins, wanted)
	a.blk.Counting = append(a.blk.Counting, b.counted.rounds...)
	b.counted = counts{}
	return r.findInCounts(b, a.blk.Counting)
}

// countsSlowly reports whether the first counting processes would take longer
// than countingBlocks blocks. Each runs one iteration when it starts, then at
// least one and two, with the setup of a slice.
func (r *runner) countsSlowly(a *attempt) bool {
	slowest, most := a.b.each().Seconds(), countingBlocks*r.size.block.Seconds()*5/4
	if timed := a.blk.Rounds; len(timed) > 0 {
		slowest = max(slowest, timed[len(timed)-1].Slices[a.which[0]].Span/1e9)
	}
	if budget := r.budget(); budget > 0 {
		most = min(most, budget/8)
	}
	return 4*float64(judge.Agreeing(r.o.Study.Alpha, 1))*slowest > max(most, countingLeast)
}

// each is the time of an iteration with its setup.
func (b *bench) each() time.Duration {
	if b.pilot.IterationSeconds > 0 {
		return seconds(b.pilot.IterationSeconds)
	}
	return b.iteration
}

// noteAllocations keeps the calls that a block counted. Processes after the first
// may have one call: see [bench.twice].
func (b *bench) noteAllocations(counting []result.Round) {
	for _, process := range result.CountedProcesses(counting) {
		if len(b.processes) > 0 || len(result.Differences(process)) > 0 {
			b.processes = append(b.processes, process)
		}
	}
}

// counting is the number of processes that a benchmark needs, and whether those
// so far agree.
func (r *runner) counting(b *bench) (wanted int, agree bool) {
	return judge.Counting(r.o.Study, b.Benchmark, b.processes)
}

// findInCounts finds what no count represents, and what go test counts too.
func (r *runner) findInCounts(b *bench, counting []result.Round) error {
	return cmp.Or(r.notLinear(b, counting), r.goTestCounts(b, counting))
}

// noteFirst keeps the bytes that the first call of a variant after a collection
// allocates more than the next one, in the process that allocates the least.
func (b *bench) noteFirst(v int, f leafBenchmark) {
	if len(f.calls) != 4 {
		return
	}
	more := max(0, float64(f.calls[0].Bytes)-float64(f.calls[1].Bytes))
	if least, ok := b.firsts[v]; ok {
		more = min(more, least)
	}
	if b.firsts == nil {
		b.firsts = make(map[int]float64)
	}
	b.firsts[v] = more
}

// goTestCounts finds that go test -benchtime 10000x shows more than 1 B/op and more
// than 0.1% more. It collects before the run, and then by default in every 4 MiB,
// if little is live. Each collection can empty pools. It also counts the set-up of
// the call.
func (r *runner) goTestCounts(b *bench, counting []result.Round) error {
	const heap, iterations = 4 << 20, 10_000
	slopes := result.Differences(counting)
	if len(slopes) == 0 {
		return nil
	}
	for v := range r.variants() {
		perOp := perOpCounts(slopes[0].Slices[v : v+1])[1]
		much := max(1, perOp/1000)
		if more := b.firsts[v] * (1./iterations + perOp/heap); more > much {
			return r.once(catalog.FirstCallAllocates.Of(b.Name, finding.Quantity("first", b.firsts[v], "B"), finding.Quantity("more", more, "B/op")))
		}
		call := counting[0].Slices[v]
		if setup := float64(call.Bytes) - perOp*float64(call.N); slopes[0].Slices[v].N > 0 && setup > much*iterations {
			return r.once(catalog.SetupAllocates.Of(b.Name, finding.Quantity("setup", setup, "B"), finding.Quantity("more", setup/iterations, "B/op")))
		}
	}
	return nil
}

// notLinear finds that later iterations allocate more or less than earlier ones
// in each of the processes of an interval. Then no count represents all iterations.
func (r *runner) notLinear(b *bench, counting []result.Round) error {
	processes := result.CountedProcesses(counting)
	if len(processes) < judge.MinBlocks {
		return nil
	}
	for v := range r.variants() {
		if slices.Contains(b.Missing, v) {
			continue
		}
		sign, from, to := 0, 0.0, 0.0
		for i, process := range processes {
			slopes := result.Differences(process)
			if len(slopes) < 2 {
				return nil
			}
			x, y := perOpCounts(slopes[0].Slices[v : v+1])[0], perOpCounts(slopes[1].Slices[v : v+1])[0]
			of := cmp.Compare(y, x)
			if math.Abs(y-x)*float64(slopes[0].Slices[v].N) < 2 {
				of = 0 // a fraction, rounded
			}
			if i == 0 {
				sign = of
			} else if of != sign {
				sign = 0
			}
			if sign == 0 {
				break
			}
			from, to = from+x/float64(len(processes)), to+y/float64(len(processes))
		}
		if sign != 0 {
			n := processes[0][0].Slices[v].N
			return r.find(catalog.NotLinear.Of(b.Name, finding.Number("first", from), finding.Number("later", to), finding.Count("iterations", n, "iteration")))
		}
	}
	return nil
}

func perOpCounts(slices []result.Slice) (perOp []float64) {
	for _, s := range slices {
		n := float64(max(1, s.N))
		perOp = append(perOp, float64(s.Mallocs)/n, float64(s.Bytes)/n)
	}
	return perOp
}
