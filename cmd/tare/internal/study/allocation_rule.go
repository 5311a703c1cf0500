package study

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// Allocations are counted in processes that do nothing else, in the same way
// whether time is measured too or not. A process makes calls of n and of 2n
// operations, and the count is their slope, which drops what each call allocates
// once. If all processes agree, the count is exact. Equal operations allocate
// equally on any machine because collections are off in these processes, shorter
// calls come first, which fill pools and caches, and a pair of calls is repeated
// until the least of equal calls agree with the pair before them: a thread that
// runs on another P finds the pools of that P empty, once. The processes have different n, so that only a
// count that is linear in n agrees.
//
// A pair follows a shorter one whose last call took less than shortCall, so that
// a process needs some 0.5 s at most. The lengths are divisible by small numbers,
// so that fractions of an allocation are exact.
const (
	shortCall = 16 * time.Millisecond
	mostPairs = 5
)

var shortestCalls = [...]int64{1, 12, 120}

// count counts the benchmarks of a package before the first of them is measured.
// A benchmark without counts has those of its timed slices: it is slow for its
// budget, a process fails, or an eighth of the total is over.
func (r *runner) count(ctx context.Context, b *bench, bins map[int]Binary) error {
	if b.links.counted || len(b.Blocks) > 0 || r.late() {
		return nil
	}
	b.links.counted = true
	defer func(began time.Time) { r.measuring = r.measuring.Add(time.Since(began)) }(time.Now())
	of := []*bench{b}
	if len(r.benches) > 0 { // they are all here
		of = slices.DeleteFunc(slices.Clone(r.benches), func(o *bench) bool { return o.links != b.links || len(o.Blocks) > 0 || r.countsSlowly(o) })
	}
	for _, bin := range bins {
		if !bin.Overlaid {
			return nil
		}
	}
	s := r.newCounter()
	if r.o.TotalSeconds > 0 && len(r.benches) > 0 {
		waiting := slices.DeleteFunc(slices.Clone(r.benches), func(o *bench) bool { return len(o.Blocks) > 0 })
		s.until = time.Now().Add(r.left() / 8 * time.Duration(len(of)) / time.Duration(max(1, len(waiting))))
	}
	_ = inGroups(of, func(of []*bench) error { s.count(ctx, of, bins); return nil })
	if s.over() {
		for _, o := range of {
			if wanted, equal := judge.Counting(r.o.Study, o.processes, o.counted.metrics); len(o.processes) < wanted && !equal {
				o.counted, o.processes = counts{}, nil
			}
		}
	}
	return ctx.Err()
}

// countsSlowly reports whether counting would take more than an eighth of the
// budget of a benchmark, or of its share of the total, or more than all of it if
// the first iterations of the variants differ.
func (r *runner) countsSlowly(b *bench) bool {
	budget := seconds(r.budget())
	if r.o.TotalSeconds > 0 && budget == 0 {
		budget = r.left() / time.Duration(len(r.benches))
	}
	family := r.o.Study.Family
	if b.turn >= 0 {
		family, budget = 1, budget/8
	}
	return budget > 0 && r.countingTime(b, family) > budget
}

// countingTime is the time of the processes that count a slow operation of a
// family. Each calls it once to announce it, and four times to count.
func (r *runner) countingTime(b *bench, family int) time.Duration {
	processes := judge.Agreeing(r.o.Study.Alpha, family) * r.variants() / min(r.variants(), runtime.GOMAXPROCS(0))
	return time.Duration(5*processes) * b.each()
}

func (b *bench) each() time.Duration {
	if b.pilot.IterationSeconds > 0 {
		return seconds(b.pilot.IterationSeconds)
	}
	return b.iteration
}

// growth are the allocations per operation in a pair of calls of n and 2n, and in
// the longer pair after it.
type growth struct {
	n            int64
	first, later float64
}

// sign is 1 if the later operations allocate more, and -1 if less, by at least
// two allocations, since a fraction is rounded.
func (g growth) sign() int {
	if math.Abs(g.later-g.first)*float64(g.n) < 2 {
		return 0
	}
	return cmp.Compare(g.later, g.first)
}

func (c *counts) note(v int, calls []result.Slice) {
	c.noteGrowth(v, calls)
	if c.first == nil {
		c.first, c.growth = make(map[int]uint64), make(map[int][]growth)
	}
	more := max(calls[0].Bytes, calls[1].Bytes) - calls[1].Bytes
	if least, ok := c.first[v]; ok {
		more = min(more, least)
	}
	c.first[v] = more
	if len(calls) < 7 {
		return
	}
	c.growth[v] = append(c.growth[v], growth{n: calls[3].N, first: slopeOf(calls[3:])[0], later: slopeOf(calls[5:])[0]})
}

func (r *runner) findInCounts(b *bench) error {
	for v := range r.variants() {
		f, found := notLinear(b, v)
		if found { // it has the bytes too
			delete(b.counted.scaling[v], "B/op")
			delete(b.counted.scaling[v], largerEach)
		}
		for _, f := range dependsOnN(b, v) {
			if err := r.once(f); err != nil {
				return err
			}
		}
		if found {
			return r.find(f)
		}
		if f, found := goTestCounts(b, v); found {
			return r.once(f)
		}
	}
	return nil
}

// goTestCounts finds that go test -benchtime 10000x shows more than 1 B/op and more
// than 0.1% more. It collects before the run, and then by default in every 4 MiB,
// if little is live. Each collection can empty pools. It also counts the set-up of
// the call.
func goTestCounts(b *bench, v int) (f finding.Finding, found bool) {
	const heap, iterations = 4 << 20, 10_000
	if len(b.processes) == 0 || slices.Contains(b.Missing, v) {
		return f, false
	}
	calls := b.processes[0]
	call, slope := calls[0].Slices[v], result.Differences(calls)[0].Slices[v]
	_, perOp := slope.PerOp()
	first, much := float64(b.counted.first[v]), max(1, perOp/1000)
	if more := first * (1./iterations + perOp/heap); more > much {
		return catalog.FirstCallAllocates.Of(b.Name, finding.Quantity("first", first, "B"), finding.Quantity("more", more, "B/op")), true
	}
	if setup := float64(call.Bytes) - perOp*float64(call.N); setup > much*iterations {
		return catalog.SetupAllocates.Of(b.Name, finding.Quantity("setup", setup, "B"), finding.Quantity("more", setup/iterations, "B/op")), true
	}
	return f, false
}

// notLinear finds that later iterations allocate more, or less, than earlier ones
// in every process of a count that varies. Then no count represents all.
func notLinear(b *bench, v int) (f finding.Finding, found bool) {
	all := b.counted.growth[v]
	if len(all) < judge.MinBlocks {
		return f, false
	}
	from, to := 0.0, 0.0
	for _, g := range all {
		if g.sign() == 0 || g.sign() != all[0].sign() {
			return f, false
		}
		from, to = from+g.first/float64(len(all)), to+g.later/float64(len(all))
	}
	return catalog.NotLinear.Of(b.Name, finding.Number("first", from), finding.Number("later", to), finding.Count("iterations", all[0].n, "iteration")), true
}
