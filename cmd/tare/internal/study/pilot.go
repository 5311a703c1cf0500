package study

import (
	"context"
	"math"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/cmd/tare/internal/worker"
)

// pilot chooses the iterations of a slice and the rounds of a block, and
// whether the benchmark uses several processors.
func (l *workerSet) pilot(ctx context.Context) error {
	b, z := l.b, l.r.size
	direct, _ := l.group.Direct()
	z.collections = !direct || l.r.variants() == 1
	t := trial{n: 1}
	for side := range l.variants {
		leaf := l.group.Leaf(side).Slice
		if leaf.Span == 0 {
			leaf.Span = leaf.Raw
		}
		t.add(leaf)
	}
	setup, perOp := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	var way iterationSearch
	for i := range 24 {
		t.setup = setup
		n, done := z.next(t)
		n = way.next(t.n, n)
		if i == 0 && z.fixed == 0 && t.quickest() <= z.block {
			n, done = 1, false // the first call of all says little: it met cold caches and pools
		} else if done && n == t.n || t.quickest() > z.block {
			b.plan.Iterations = n
			break
		}
		b.plan.Iterations = n
		expect := float64(t.quickest()) * float64(n) / float64(t.n)
		// An interruption makes a slice look too long: the quickest of a few
		// is the one to go by. The first reads the allocations, which takes
		// the time of many short pauses; the others do not.
		var first trial
		for i, reading := range []worker.Reading{worker.Few, worker.Unread, worker.Unread} {
			rounds, err := l.take(ctx, []roundPlan{{order: l.variants, n: n, reading: reading}})
			if err != nil {
				return err
			}
			again := trialOf(rounds[0], l.variants)
			perOp = min(perOp, again.wall()/time.Duration(n))
			// Set-up takes the same time in every slice: the least seen is
			// it, the rest is noise.
			setup = min(setup, max(0, again.wall()-again.timed()))
			if i == 0 {
				first = again
			}
			if i == 0 || again.wall() < t.wall() {
				t = again
			}
			if first.timed() > 4*max(z.slice, time.Millisecond) || first.wall() > longestUntimed/10 {
				break
			}
		}
		t.count(first)
		if done && (expect < 1000 || float64(t.quickest()) > expect/2 && float64(t.quickest()) < 2*expect) {
			break // as expected, or next to nothing is timed
		}
	}
	if z.fixed == 0 {
		t.setup = setup
		longer, err := l.amortize(ctx, t)
		if err != nil {
			return err
		}
		if longer.n != t.n {
			t, b.plan.Iterations = longer, longer.n
		}
	}
	// An interruption can fall into the last trial of all, which is not repeated
	// where it is long: no trial was quicker than the benchmark is.
	b.plan.Paused, b.plan.IterationSeconds = t.paused(), min(perOp, t.wall()/time.Duration(t.n)).Seconds()
	b.plan.SliceSeconds = t.timed().Seconds()
	if z.fixed == 0 {
		b.plan.Warmup = b.warmUp(t)
	}
	l.r.setRounds(b, z.roundsFor(t))
	return nil
}

// warmTime is how long a worker runs, untimed, before each slice: others have
// used its caches.
const warmTime = 2 * time.Microsecond

// longestWarmSetup is how long the set-up may take that untimed iterations of
// a b.N benchmark repeat.
const longestWarmSetup = 10 * time.Microsecond

// warmUp chooses the untimed iterations before a slice: none where an
// operation takes longer than they should, or where they would cost another
// set-up.
func (b *bench) warmUp(t trial) int64 {
	perOp := float64(t.timed()) / float64(t.n)
	if t.paused() || perOp <= 0 || t.setup > longestWarmSetup {
		return 0
	}
	return min(int64(float64(warmTime)/perOp), t.n/8)
}

// parallelShare is how many processors a benchmark must use at the same time
// to count as one that uses several.
const parallelShare = 1.2

// parallel reports whether the benchmark kept more than one processor busy in
// slices of one side, the collector not counted, which works with any
// benchmark.
func (l *workerSet) parallel(ctx context.Context) (bool, error) {
	if l.b.Procs == 1 {
		return false, nil
	}
	for _, v := range l.variants {
		n, wall := l.b.plan.Iterations, time.Duration(0)
		used := 0.0
		for range 16 {
			rounds, err := l.take(ctx, []roundPlan{{order: []int{v}, n: n, reading: worker.Usage}})
			if err != nil {
				return false, err
			}
			s := rounds[0].Slices[v]
			wall += time.Duration(s.Span)
			used += s.User + s.System - s.GCTime
			if wall > parallelTime {
				break
			}
			n = max(n, min(4*n, int64(float64(n)*float64(parallelTime)/max(1, s.Span))))
		}
		if used > parallelShare*float64(wall) {
			return true, nil
		}
	}
	return false, nil
}

// parallelTime is how long a side runs to see whether it uses several
// processors: the system counts processor time in steps of up to 4 ms.
const parallelTime = 10 * time.Millisecond

// setRounds gives a block that many slices of the usual length, or of that and
// of the longer ones together.
func (r *runner) setRounds(b *bench, rounds int) {
	b.plan.Rounds, b.plan.Long = rounds, 0
	if r.probes(rounds) {
		b.plan.Long = longTimes
		b.plan.Rounds = rounds * longEvery / (longEvery - 1 + longTimes)
	}
}

// resize fits the blocks to come to what those so far have shown.
func (r *runner) resize(b *bench) {
	if b.plan.Alone || !b.Blocks[len(b.Blocks)-1].Good() {
		return
	}
	last := b.Blocks[len(b.Blocks)-1].Timed()
	if len(b.Blocks) == 1 {
		r.resizeRounds(b, last)
	}
	b.lengthen(last, r.variants())
	if r.size.fixed == 0 {
		b.lengthenForCollections(r.size)
	}
	if r.size.fixed == 0 && r.o.BlockTime == 0 && !b.plan.Paused && b.plan.Rounds > 1 {
		r.share(b)
	}
}

// resizeRounds chooses the rounds of the blocks to come by the typical slices of the
// first one: the pilot had to choose by single ones, and one that was
// interrupted makes for blocks of a few rounds.
func (r *runner) resizeRounds(b *bench, first []result.Round) {
	if b.plan.Paused {
		return // what bounds those is the time between the slices too
	}
	typical := 0.0
	for v := range r.variants() {
		var raw []float64
		for s := range timedSlices(first, v) {
			if s.N == b.plan.Iterations {
				raw = append(raw, s.Raw)
			}
		}
		if len(raw) > 0 {
			typical = max(typical, stats.Median(raw))
		}
	}
	if typical > 0 {
		b.plan.SliceSeconds = typical / 1e9
		r.setRounds(b, r.size.roundsOf(time.Duration(typical)))
	}
}
