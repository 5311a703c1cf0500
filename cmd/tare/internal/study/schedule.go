package study

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// How to divide a total. The final work of a study starts up to a fiftieth
// before the total, so that the study ends with it. A running operation or
// link ends at most a twentieth after it. Builds get at most half of it, or the
// time of the first package with benchmarks.
const (
	finishShare = 0.02
	lateShare   = 0.05
	buildShare  = 0.5
)

// shareTimes limits the first look of a benchmark before the others have
// theirs. It may take this many times the larger of its share of the time and
// the others' average.
const shareTimes = 4

var errTotal = errors.New("the total time is over")

// after is when a share of the total is over.
func (r *runner) after(share float64) time.Time {
	return r.o.Begun.Add(seconds(share * r.o.TotalSeconds))
}

// withinTotal stops running work when it is too late for a total, if there is one.
func (r *runner) withinTotal(ctx context.Context) (context.Context, context.CancelFunc) {
	if r.o.TotalSeconds <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithDeadlineCause(ctx, r.after(1+lateShare), errTotal)
}

// endBuilds ends the builds at their share of the total, but not before a package
// can be measured.
func (r *runner) endBuilds(building context.Context, end func()) {
	share := time.NewTimer(time.Until(r.after(buildShare)))
	defer share.Stop()
	select {
	case <-share.C:
	case <-building.Done():
		return
	}
	select {
	case <-r.gathered:
		end()
	case <-building.Done():
	}
}

func (r *runner) left() time.Duration {
	if r.o.TotalSeconds <= 0 {
		return math.MaxInt64 / (2 * shareTimes)
	}
	return max(0, time.Until(r.after(1-finishShare)))
}

func (r *runner) late() bool { return r.left() == 0 }

// byNeed spends the total by need: see [runner.next]. It reports the benchmarks
// that the total does not decide.
func (r *runner) byNeed(ctx context.Context, benches []*bench) (err error) {
	measuring, cancel := r.withinTotal(ctx)
	defer cancel()
	err = r.measureAll(measuring, r.inOrder(benches))
	if err != nil && (ctx.Err() != nil || context.Cause(measuring) != errTotal) {
		return err
	}
	return r.stopAll(benches)
}

// measureAll measures benchmarks until none is open or the total is over, one at a
// time here and all at the same time on other machines. Every decision between two
// looks uses planned looks and times, and nothing is judged between them. So the
// error rate is the designed one, whichever benchmark is measured next
// (docs/decisions/looks.md).
func (r *runner) measureAll(ctx context.Context, order []*bench) error {
	lanes := 1
	if r.o.Machines != nil {
		lanes = len(order)
		r.lanes.lendMeasuring() // no CPU of this machine measures
	}
	all, ctx := errgroup.WithContext(ctx)
	for range lanes {
		all.Go(func() error {
			r.mu.Lock()
			defer r.mu.Unlock()
			for !r.late() {
				b, upTo := r.next(order)
				if b == nil {
					return nil
				}
				b.taken = true
				err := r.measure(ctx, b, upTo)
				b.taken = false
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	return all.Wait()
}

type stage int

const (
	// differs: it has had its first look and differs if judged alone. If the
	// total ends during the first looks, few benchmarks would otherwise reach a
	// look that may call a difference.
	differs stage = iota
	// begun: the first looks of all, so that links and blocks overlap. A
	// benchmark continues when its next block is linked. While none is, the next
	// benchmark begins.
	begun
	untouched
	waits
	// adjusted: its verdict depends on the adjustment for the run.
	adjusted
	// open: the nearest to a verdict comes first. First looks that take many times
	// their share are here too.
	open
	// far: no planned look is expected to give a verdict.
	far
)

type candidate struct {
	b     *bench
	stage stage
	// upTo is the number of blocks to measure, and cost the time that they take.
	upTo int
	cost time.Duration
	// need is the time to its verdict, estimated from the looks so far.
	need time.Duration
}

// next is the benchmark to measure next, and the number of blocks to measure it
// to. It is the first by stage, need and order that is not being measured and whose
// cost fits into the remaining time, or nil.
func (r *runner) next(order []*bench) (*bench, int) {
	var best candidate
	looks, left := r.firstLooks(order), r.left()
	for _, b := range order {
		if b.done || b.taken {
			continue
		}
		c := r.candidate(b, looks)
		if c.cost <= left && (best.b == nil || cmp.Or(cmp.Compare(c.stage, best.stage), cmp.Compare(c.need, best.need)) < 0) {
			best = c
		}
	}
	if best.b != nil && best.stage == untouched && r.o.Machines == nil {
		linkAhead(best.b, order, r.design.Next(0))
	}
	return best.b, best.upTo
}

type firstLooks struct {
	open   int           // benchmarks without their first look
	known  int           // benchmarks with a block
	sum    time.Duration // of known
	paying time.Duration // the remaining time of benchmarks that have begun
}

func (r *runner) firstLooks(order []*bench) (l firstLooks) {
	first := r.design.Next(0)
	for _, b := range order {
		if !b.done && b.GoodBlocks() < first {
			l.open++
			l.paying += b.lookCost(first)
		}
		if len(b.Blocks) > 0 {
			l.known++
			l.sum += time.Duration(first) * b.meanBlockTime()
		}
	}
	return l
}

// others is the average first-look time of the other benchmarks, if own is
// the time of this one. It is 0 if none is known.
func (l firstLooks) others(own time.Duration) time.Duration {
	n := l.known
	if own > 0 {
		n--
	}
	return (l.sum - own) / time.Duration(max(1, n))
}

func (r *runner) candidate(b *bench, looks firstLooks) candidate {
	good, first, called := b.GoodBlocks(), r.design.Next(0), r.design.FirstCalled()
	if good < first {
		own := time.Duration(first) * b.meanBlockTime()
		share := r.left() / time.Duration(max(1, looks.open))
		switch {
		case len(b.Blocks) == 0:
			c := candidate{b: b, stage: untouched, upTo: 1}
			if looks.known > 0 {
				c.cost = pilotTime + looks.others(0) + looks.paying
			}
			return c
		case b.lookCost(first) > shareTimes*max(share, looks.others(own)):
			return candidate{b: b, stage: open, upTo: first, cost: b.lookCost(first), need: b.lookCost(first)}
		case b.links.ready(good):
			return candidate{b: b, stage: begun, upTo: good + 1}
		}
		return candidate{b: b, stage: waits, upTo: good + 1}
	}
	target, beyond := r.target(b)
	c := candidate{b: b, stage: open, upTo: r.design.Next(good), need: time.Duration(target-good) * b.meanBlockTime()}
	c.cost = b.lookCost(c.upTo)
	switch {
	case b.decision.Alone && good < called:
		c.stage, c.need = differs, 0
	case beyond:
		c.stage = far
	case b.decision.Alone:
		c.stage = adjusted
	}
	return c
}

// linkAhead starts the links for the first looks of a benchmark's package and
// of the next package. So no link has to wait while the other package is
// measured.
func linkAhead(next *bench, order []*bench, first int) {
	next.links.ahead(0, first)
	for _, b := range order {
		if b.links != next.links && !b.done && len(b.Blocks) == 0 {
			b.links.ahead(0, first)
			return
		}
	}
}

func (b *bench) lookCost(upTo int) time.Duration {
	return time.Duration(max(0, upTo-b.GoodBlocks())) * b.meanBlockTime()
}

// inOrder orders benchmarks by their ranks. Within a rank, benchmarks whose
// counts differ between the variants come first, and benchmarks with the same
// code last, before those whose first look takes many times their share. The others
// are in random order.
func (r *runner) inOrder(benches []*bench) []*bench {
	all := shuffled(r.o.Study.Seed, benches)
	rank := func(b *bench) int { return r.o.Rank[result.Key{Pkg: b.Pkg, Name: b.Name}] }
	share, turn := r.left()/time.Duration(max(1, len(all))), make(map[*bench]int)
	for _, b := range all {
		if turn[b] = b.turn; r.plannedLook(b, r.design.Next(0)) > shareTimes*share {
			turn[b] = 2
		}
	}
	slices.SortStableFunc(all, func(a, b *bench) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(turn[a], turn[b]))
	})
	return all
}

// shuffled puts the packages in random order, and the benchmarks in each
// package, which share its links.
func shuffled(seed uint64, benches []*bench) []*bench {
	plan := draws{Seed: seed}
	packages := grouped(benches, func(b *bench) string { return b.Pkg })
	plan.stream("packages").Shuffle(len(packages), func(i, j int) { packages[i], packages[j] = packages[j], packages[i] })
	for _, list := range packages {
		plan.stream("order", list[0].Pkg).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	return slices.Concat(packages...)
}

// target is the number of blocks at which b should be done: the first planned
// look that may give a verdict. far is set if that is after the last look.
func (r *runner) target(b *bench) (blocks int, far bool) {
	need, most := b.decision.Needed, r.most()
	if r.variants() == 1 || need > most {
		return most, r.variants() > 1
	}
	next := r.design.Next(b.GoodBlocks())
	for need > next && next < most {
		next = r.design.Next(next)
	}
	return next, false
}

// stopAll ends the benchmarks that the total does not decide. Benchmarks
// without their first look were not reached.
func (r *runner) stopAll(benches []*bench) error {
	first := r.design.Next(0)
	for _, b := range benches {
		if b.done {
			continue
		}
		reason := result.StopTotal
		if b.GoodBlocks() < first {
			reason = result.StopNotReached
		}
		if err := r.stop(b, reason, nil); err != nil {
			return err
		}
	}
	return nil
}
