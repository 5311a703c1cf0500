package study

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/worker"
	"github.com/tarebench/tare/internal/finding"
)

// Allocations are the slope of calls of different length, in processes that do
// nothing else: three, and up to eight if their slopes differ. Then each block
// has another one, so that the count gets an interval. The calls of a process
// take at most countingTime together, or pausedTime if the benchmark stops its
// timer. An operation that takes longer is called once and twice.
const (
	leastCounted = 3 // processes
	mostCounted  = 8
	countingTime = 10 * time.Millisecond
	pausedTime   = 150 * time.Millisecond
	// mostCalled is the number of operations of the shortest call. A fraction
	// of an allocation is then exact, since it divides by small numbers.
	mostCalled = 120
	// countingBlocks is the number of blocks, as planned, whose time the first
	// processes may take. Slower operations are counted in their timed slices.
	countingBlocks = 5
	// countingLeast is the time that they may take on any budget.
	countingLeast = 0.25 // seconds
)

// count adds the counts of a block to it. It needs no plan and no timed slices.
func (r *runner) count(ctx context.Context, a *attempt) error {
	b := a.b
	if r.late() || slices.ContainsFunc(a.which, func(v int) bool { return !a.bins[v].Overlaid }) {
		return nil
	}
	for first := b.processes < leastCounted; !b.allocationsAgree(); {
		rounds, err := r.countOnce(ctx, a)
		var f *failure
		if len(rounds) == 0 || errors.As(err, &f) {
			return nil // timed slices have counts too
		}
		if err != nil {
			return err
		}
		a.blk.Counting = append(a.blk.Counting, rounds...)
		b.noteAllocations(rounds)
		if !first || b.processes >= mostCounted {
			break
		}
	}
	return r.notLinear(b, a.blk.Counting)
}

// countOnce counts in one process of each variant.
func (r *runner) countOnce(ctx context.Context, a *attempt) (rounds []result.Round, err error) {
	groups := [][]int{a.which}
	if a.b.plan.Alone {
		groups = groups[:0]
		for _, v := range a.which {
			groups = append(groups, []int{v})
		}
	}
	n, each := int64(0), a.b.plan.IterationSeconds
	for _, variants := range groups {
		if n == 0 && each > 0 {
			if n = r.countingCalls(a, each); n == 0 {
				return nil, nil
			}
		}
		l, err := r.start(ctx, a.b, a.bins, variants, nil)
		if err != nil {
			return nil, err
		}
		defer l.close()
		if each == 0 { // there is no plan
			each = l.announced()
		}
		if n = cmp.Or(n, r.countingCalls(a, each)); n == 0 {
			return nil, nil
		}
		some, err := l.countCalls(ctx, n, each)
		if err != nil {
			return nil, err
		}
		if err := l.end(ctx, nil); err != nil {
			return nil, err
		}
		for _, v := range variants {
			rounds = withSlices(rounds, some, v)
		}
	}
	return rounds, nil
}

// announced is the time of the iteration that announced the benchmark, in
// seconds.
func (l *workerSet) announced() (longest float64) {
	for side := range l.variants {
		s := l.group.Leaf(side).Slice
		longest = max(longest, s.Raw/1e9, s.Span/1e9)
	}
	return longest
}

// countingCalls is n of the shortest call, if each operation takes this long.
// It is 0 if the call takes too long.
func (r *runner) countingCalls(a *attempt, each float64) int64 {
	limit, timed := countingTime, a.blk.Rounds
	if a.b.plan.Paused {
		limit = pausedTime
	}
	// Each process runs one iteration when it starts, then one and two at
	// least, with the setup of a slice.
	slowest, most := each, countingBlocks*r.size.block.Seconds()*5/4
	if len(timed) > 0 {
		slowest = max(slowest, timed[len(timed)-1].Slices[a.which[0]].Span/1e9)
	}
	if budget := r.budget(); budget > 0 {
		most = min(most, budget/8)
	}
	if 4*leastCounted*slowest > max(most, countingLeast) {
		return 0
	}
	return max(1, min(mostCalled, int64(limit.Seconds()/7/max(each, 1e-9))))
}

// countCalls calls the benchmark with n iterations, with 2n and, unless it is
// slow, with 4n. Unless it is slow a call of n comes first and does not count:
// it includes the allocations that a process makes once, such as the buffers of
// a sync.Pool.
func (l *workerSet) countCalls(ctx context.Context, n int64, each float64) (rounds []result.Round, err error) {
	slow := each > countingTime.Seconds()
	turns := []roundPlan{{n: n}, {n: n}, {n: 2 * n}, {n: 4 * n}}
	if slow {
		turns = turns[1:3]
	}
	for i := range turns {
		turns[i].order, turns[i].reading = l.variants, worker.Every
	}
	if rounds, err = l.take(ctx, turns); err != nil {
		return nil, err
	}
	if !slow {
		rounds = rounds[min(1, len(rounds)):]
	}
	for _, r := range rounds {
		for i := range r.Slices {
			r.Slices[i].Metrics = nil // known from timed rounds
		}
	}
	return rounds, nil
}

// noteAllocations keeps the slopes that a block counted.
func (b *bench) noteAllocations(counting []result.Round) {
	for _, process := range result.CountedProcesses(counting) {
		if slopes := result.Differences(process); len(slopes) > 0 {
			b.slopes = append(b.slopes, slopes...)
			b.processes++
		}
	}
}

// allocationsAgree reports whether enough processes counted and all slopes are
// alike.
func (b *bench) allocationsAgree() bool {
	return b.processes >= leastCounted && judge.CountsAgree(b.slopes)
}

// notLinear finds that a later iteration allocates more or less than an earlier
// one, in each of mostCounted processes: no count represents all.
func (r *runner) notLinear(b *bench, counting []result.Round) error {
	processes := result.CountedProcesses(counting)
	if len(processes) < mostCounted {
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
			return r.find(kind.NotLinear.Of(b.Name, finding.Number("first", from), finding.Number("later", to), finding.Number("iterations", float64(n))))
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
