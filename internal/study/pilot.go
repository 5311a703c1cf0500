package study

import (
	"context"
	"math"
	"time"

	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/worker"
	"github.com/tarebench/tare/stats"
)

// pilot chooses the iterations of a slice and the rounds of a block.
func (c *crew) pilot(ctx context.Context, b *bench, order []int) error {
	t := trial{n: 1}
	for _, v := range order {
		if m, ok := c.members[v]; ok {
			t.sides = append(t.sides, m.leaf.Slice)
			t.walls = append(t.walls, time.Duration(m.leaf.Slice.Raw))
		}
	}
	setup, perOp := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	var way course
	for range 24 {
		t.setup = setup
		n, done := c.r.size.next(t)
		n = way.steer(t.n, n)
		b.plan.Iterations = n
		if done && n == t.n || t.quickest() > c.r.size.block {
			break
		}
		expect := float64(t.quickest()) * float64(n) / float64(t.n)
		var err error
		// An interruption makes a slice look too long: the quickest of a few
		// is the one to go by. The first reads the allocations, which takes
		// the time of many short pauses; the others do not.
		var first trial
		for i, reading := range []worker.Reading{worker.Few, worker.Unread, worker.Unread} {
			var again trial
			if again, _, err = c.round(ctx, b, turn{order, worker.Order{N: n, Reading: reading}}, turn{}); err != nil {
				return err
			}
			c.r.sliced(again)
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
			if first.timed() > 4*c.r.size.slice || first.wall() > longestUntimed/10 {
				break
			}
		}
		t.count(first)
		if done && (expect < 1000 || float64(t.quickest()) > expect/2 && float64(t.quickest()) < 2*expect) {
			break // as expected, or next to nothing is timed
		}
	}
	// An interruption can fall into the last trial of all, which is not repeated
	// where it is long: no trial was quicker than the benchmark is.
	b.plan.Paused, b.plan.IterationSeconds = t.paused(), min(perOp, t.wall()/time.Duration(t.n)).Seconds()
	b.plan.SliceSeconds = t.timed().Seconds()
	c.r.setRounds(b, c.r.size.roundsFor(t))
	return nil
}

// setRounds gives a block that many slices of the usual length, or of that and
// of the longer ones together.
func (r *runner) setRounds(b *bench, rounds int) {
	b.plan.Rounds, b.plan.Long = rounds, 0
	if r.probes(rounds) {
		b.plan.Long = longTimes
		b.plan.Rounds = rounds * longEvery / (longEvery - 1 + longTimes)
	}
}

// resize fits the blocks to come to what the first one showed, once it is all
// that there is.
func (r *runner) resize(b *bench) {
	if len(b.Blocks) == 1 {
		r.settle(b, b.Blocks[0].Rounds)
		b.lengthen(b.Blocks[0].Rounds, r.variants())
	}
}

// settle chooses the rounds of the blocks to come by the typical slices of the
// first one: the pilot had to choose by single ones, and one that was
// interrupted makes for blocks of a few rounds.
func (r *runner) settle(b *bench, first []result.Round) {
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
