package study

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// How a total is divided. A study ends at the total, and its final work starts
// up to a fiftieth before. A running operation or link is ended a twentieth
// after. Builds get half of it at most.
const (
	finishShare = 0.02
	lateShare   = 0.05
	buildShare  = 0.5
)

// shareTimes is how many times the larger of its share of the time and the
// others' average a benchmark's first look may take before the others' first
// looks.
const shareTimes = 4

// errTotal is the cause of the context's end when the total is over.
var errTotal = errors.New("the total time is over")

// deadline is when measuring ends; hard is when work still running then is
// ended. Both are zero without a total.
func (r *runner) deadline() (soft, hard time.Time) {
	if r.o.TotalSeconds <= 0 {
		return soft, hard
	}
	share := func(of float64) time.Duration { return seconds(of * r.o.TotalSeconds) }
	return r.o.Begun.Add(share(1 - finishShare)), r.o.Begun.Add(share(1 + lateShare))
}

// left is the remaining measuring time of the total.
func (r *runner) left() time.Duration {
	soft, _ := r.deadline()
	return max(0, time.Until(soft))
}

// late reports whether the total is over.
func (r *runner) late() bool { return r.o.TotalSeconds > 0 && r.left() == 0 }

// byNeed spends the total by need, a look at a time: see [runner.next]. Every
// decision between two looks rests on planned looks, and nothing is judged
// between them. So the error rate is the rate of the design, whichever
// benchmark is measured next (docs/decisions/looks.md).
func (r *runner) byNeed(ctx context.Context, benches []*bench) (err error) {
	_, hard := r.deadline()
	measuring, cancel := context.WithDeadlineCause(ctx, hard, errTotal)
	defer cancel()
	order := r.inOrder(benches)
	for err == nil && !r.late() {
		b, upTo := r.next(order)
		if b == nil {
			break
		}
		err = r.measure(measuring, b, upTo)
	}
	if err != nil && (ctx.Err() != nil || context.Cause(measuring) != errTotal) {
		return err
	}
	return r.stopAll(benches)
}

// next is the benchmark to measure next, and the number of blocks to measure it
// to. It is nil if nothing fits into the remaining time. First comes a
// benchmark that differs, then the first looks of all, then the one that
// [nearest] picks.
func (r *runner) next(order []*bench) (*bench, int) {
	if b, upTo := r.differing(order); b != nil {
		return b, upTo
	}
	if b, upTo := r.firstLook(order); b != nil {
		return b, upTo
	}
	var open []candidate
	for _, b := range order {
		if !b.done && b.goodBlocks() > 0 {
			open = append(open, r.candidate(b))
		}
	}
	if i := nearest(open, r.left()); i >= 0 {
		return open[i].b, open[i].upTo
	}
	return nil, 0
}

// firstLook is the next benchmark without its first look. The order is random
// unless benchmarks have ranks, so that no benchmark is missed because of its
// name. A benchmark continues as soon as its next block is linked. While none
// is, the next one begins, so that links and blocks overlap. If the first look
// of one would take many times its share, the others come first.
func (r *runner) firstLook(order []*bench) (*bench, int) {
	first := r.design.Next(0)
	var queue, begun, long []*bench
	for _, b := range order {
		switch {
		case b.done || b.goodBlocks() >= first:
		case len(b.Blocks) == 0:
			queue = append(queue, b)
		default:
			begun = append(begun, b)
		}
	}
	share := r.left() / time.Duration(max(1, len(queue)+len(begun)))
	begun = slices.DeleteFunc(begun, func(b *bench) bool {
		takesLong := b.lookCost(first) > shareTimes*max(share, othersFirst(b, order, first))
		if takesLong {
			long = append(long, b)
		}
		return takesLong
	})
	if i := slices.IndexFunc(begun, func(b *bench) bool { return b.links.ready(b.goodBlocks()) }); i >= 0 {
		return begun[i], begun[i].goodBlocks() + 1
	}
	if len(queue) > 0 && r.left() >= r.firstCost(queue[0], order, first)+costOf(begun, first) {
		linkAhead(queue, first)
		return queue[0], 1
	}
	if len(begun) > 0 {
		return begun[0], begun[0].goodBlocks() + 1
	}
	slices.SortStableFunc(long, func(a, b *bench) int { return cmp.Compare(a.lookCost(first), b.lookCost(first)) })
	if len(long) > 0 && long[0].lookCost(first) <= r.left() {
		return long[0], first
	}
	return nil, 0
}

// differing is a benchmark that has had its first look and differs alone, and
// its next look, up to the first that may call a difference. If the total ends
// during the first looks, few would otherwise reach it.
func (r *runner) differing(benches []*bench) (b *bench, upTo int) {
	first, called := r.design.Next(0), firstCalled(r.design)
	for _, b := range benches {
		if good := b.goodBlocks(); !b.done && b.decision.Alone && good >= first && good < called {
			if upTo := r.design.Next(good); b.lookCost(upTo) <= r.left() {
				return b, upTo
			}
		}
	}
	return nil, 0
}

// costOf is the remaining time of the first looks of benchmarks that have
// begun.
func costOf(begun []*bench, first int) (sum time.Duration) {
	for _, b := range begun {
		sum += b.lookCost(first)
	}
	return sum
}

// linkAhead starts the links for the first looks of the first package of a
// queue, and then of the next. So no link waits for the other package to be
// measured.
func linkAhead(queue []*bench, first int) {
	queue[0].links.ahead(0, first)
	for _, b := range queue {
		if b.links != queue[0].links {
			b.links.ahead(0, first)
			return
		}
	}
}

// lookCost is the expected time of the blocks of b up to a look.
func (b *bench) lookCost(upTo int) time.Duration {
	return time.Duration(max(0, upTo-b.goodBlocks())) * b.meanBlockTime()
}

// firstCost is the expected time of the first look of b: by its blocks, or the
// average of the others. It is 0 before any.
func (r *runner) firstCost(b *bench, benches []*bench, first int) time.Duration {
	if b.goodBlocks() > 0 {
		return b.lookCost(first)
	}
	if others := othersFirst(b, benches, first); others > 0 {
		return pilotTime + others
	}
	return 0
}

// othersFirst is the average time of the first looks of the other benchmarks,
// by their blocks. It is 0 while none has any.
func othersFirst(b *bench, benches []*bench, first int) time.Duration {
	var sum time.Duration
	n := 0
	for _, other := range benches {
		if other != b && len(other.Blocks) > 0 {
			sum += time.Duration(first) * other.meanBlockTime()
			n++
		}
	}
	return sum / time.Duration(max(1, n))
}

// inOrder orders benchmarks by their ranks. Of one rank, those come first whose
// counts differ between the variants, and those last that have the same code. The
// others are in random order.
func (r *runner) inOrder(benches []*bench) []*bench {
	all := shuffled(r.o.Study.Seed, benches)
	rank := func(b *bench) int { return r.o.Rank[result.Key{Pkg: b.Pkg, Name: b.Name}] }
	slices.SortStableFunc(all, func(a, b *bench) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.turn, b.turn))
	})
	return all
}

// shuffled orders benchmarks at random: the packages, and the benchmarks of
// each package, which share its links.
func shuffled(seed uint64, benches []*bench) []*bench {
	plan := draws{Seed: seed}
	var packages []string
	of := make(map[string][]*bench)
	for _, b := range benches {
		if of[b.Pkg] == nil {
			packages = append(packages, b.Pkg)
		}
		of[b.Pkg] = append(of[b.Pkg], b)
	}
	shuffle := func(random *rand.Rand, n int, swap func(i, j int)) { random.Shuffle(n, swap) }
	shuffle(plan.stream("packages"), len(packages), func(i, j int) { packages[i], packages[j] = packages[j], packages[i] })
	var all []*bench
	for _, pkg := range packages {
		list := of[pkg]
		shuffle(plan.stream("order", pkg), len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		all = append(all, list...)
	}
	return all
}

// candidate is a benchmark that may be measured on.
type candidate struct {
	b *bench
	// upTo is the look that it is measured to, which takes cost.
	upTo int
	cost time.Duration
	// need is the time to its verdict, as far as the looks so far show. far is
	// set if no planned look is expected to give one.
	need time.Duration
	far  bool
	// alone is set if its verdict depends on the adjustment for the run.
	alone bool
}

func (r *runner) candidate(b *bench) candidate {
	good, each := b.goodBlocks(), b.meanBlockTime()
	upTo := r.design.Next(good)
	target, far := r.target(b)
	return candidate{
		b: b, upTo: upTo, cost: b.lookCost(upTo),
		need: time.Duration(target-good) * each, far: far, alone: b.decision.Alone,
	}
}

// target is the number of blocks at which b is expected to be done: the first
// planned look that may give a verdict. far is set if that is beyond the last.
func (r *runner) target(b *bench) (blocks int, far bool) {
	need, most := b.decision.Needed, r.most()
	if r.variants() == 1 || need > most {
		return most, r.variants() > 1
	}
	next := r.design.Next(b.goodBlocks())
	for need > next && next < most {
		next = r.design.Next(next)
	}
	return next, false
}

// nearest picks the next candidate among those whose next look fits into the
// remaining time: one whose verdict depends on the adjustment first, then the
// one nearest to a verdict. It is -1 if none fits.
func nearest(open []candidate, left time.Duration) int {
	best := -1
	rank := func(c candidate) int {
		switch {
		case c.far:
			return 2
		case c.alone:
			return 0
		}
		return 1
	}
	for i, c := range open {
		if c.cost > left {
			continue
		}
		if best < 0 || cmp.Or(cmp.Compare(rank(c), rank(open[best])), cmp.Compare(c.need, open[best].need)) < 0 {
			best = i
		}
	}
	return best
}

// stopAll ends the benchmarks that the total leaves open. Benchmarks without
// their first look were not reached.
func (r *runner) stopAll(benches []*bench) error {
	first := r.design.Next(0)
	for _, b := range benches {
		if b.done {
			continue
		}
		reason := result.StopTotal
		if b.goodBlocks() < first {
			reason = result.StopNotReached
		}
		if err := r.stop(b, reason, nil); err != nil {
			return err
		}
	}
	return nil
}
