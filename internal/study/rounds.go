package study

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/tarebench/tare/internal/worker"
	"github.com/tarebench/tare/result"
	"github.com/tarebench/tare/stats"
)

// lockstepBlock runs a block with all workers alive together.
func (r *runner) lockstepBlock(ctx context.Context, b *bench, k int, plan BlockPlan, bins map[int]Binary, which []int) error {
	c, err := r.start(ctx, b, plan, bins, which)
	if err != nil {
		return err
	}
	defer c.close()
	if b.n == 0 {
		if err := c.pilot(ctx, b, which); err != nil {
			return err
		}
	}
	if err := c.openCounters(ctx, b, which); err != nil {
		return err
	}
	var last result.Round
	turns := b.turns(k, plan.Orders(b.rounds+1))
	began := time.Now()
	for i := 0; i < len(turns); i++ {
		if i > 0 && r.overspent(b, time.Since(began)) {
			turns = turns[:i+1]
		}
		var now, next turn = turns[i], turn{}
		if i+1 < len(turns) {
			next = turns[i+1]
		}
		at := r.at()
		t, slices, err := c.round(ctx, b, now, next)
		if err != nil {
			return err
		}
		r.sliced(t)
		last = result.Round{Block: k, Round: i, At: at, Order: now.order, Slices: slices, Warmup: i == 0 && len(turns) > 1}
		if i == len(turns)-1 {
			break
		}
		// At once: a killed study loses the round in flight, and no other.
		if err := r.write(b, last); err != nil {
			return err
		}
	}
	counting, err := r.countingRounds(ctx, c, b, k, which)
	if err != nil {
		return err
	}
	// The last round waits for what comes behind a b.Loop.
	if err := c.end(ctx, b, last.Slices); err != nil {
		return err
	}
	if err := r.writeCountingRounds(b, counting); err != nil {
		return err
	}
	return r.write(b, last)
}

// overspent tells whether a block that has taken so long ends with the round
// to come: where slices wait far longer than they run (a benchmark that leaves
// goroutines spinning, a machine that others use), one block may otherwise
// take many times the budget.
func (r *runner) overspent(b *bench, took time.Duration) bool {
	budget := seconds(r.o.Study.BudgetSeconds)
	return budget > 0 && b.spent+took > budget
}

// setRounds gives a block that many slices of the usual length, or of that and
// of the longer ones together.
func (r *runner) setRounds(b *bench, rounds int) {
	b.rounds = rounds
	if b.probed = r.probes(rounds); b.probed {
		b.rounds = rounds * longEvery / (longEvery - 1 + longTimes)
	}
}

// resize fits the blocks to come to what the first one showed, once it is all
// that there is.
func (r *runner) resize(b *bench) {
	if len(b.blocks) == 1 {
		r.settle(b, b.measure)
		b.lengthen(b.measure)
	}
}

// settle chooses the rounds of the blocks to come by the typical slices of the
// first one: the pilot had to choose by single ones, and one that was
// interrupted makes for blocks of a few rounds.
func (r *runner) settle(b *bench, first []result.Round) {
	if b.paused {
		return // what bounds those is the time between the slices too
	}
	typical := 0.0
	for v := range r.variants() {
		var raw []float64
		for _, round := range first {
			if s := round.Slices[v]; s.N == b.n && !round.Warmup && !round.Counting {
				raw = append(raw, s.Raw)
			}
		}
		if len(raw) > 0 {
			typical = max(typical, stats.Median(raw))
		}
	}
	if typical > 0 {
		r.setRounds(b, r.size.roundsOf(time.Duration(typical)))
	}
}

// turns are the rounds of block k.
func (b *bench) turns(k int, orders [][]int) []turn {
	if b.rounds == 1 {
		orders = orders[:1] // a slow operation has one round, without a warm-up
	}
	turns := make([]turn, len(orders))
	for i, order := range orders {
		turns[i] = turn{order, worker.Order{N: b.iterations(k, i), Reading: b.reading(i)}}
	}
	return turns
}

// reading says whether the allocations of a round are read: in every eighth,
// which is enough to know them, and in all where there are few.
func (b *bench) reading(round int) worker.Reading {
	switch {
	case b.paused:
		return worker.Unread // there would be too many intervals
	case round%8 == 1, b.rounds < 16:
		return worker.Few
	}
	return worker.Unread
}

// countingRounds runs the counting rounds of a block: of allocations, then of
// hardware and software events, which disturb all that comes after.
func (r *runner) countingRounds(ctx context.Context, c *crew, b *bench, k int, which []int) ([]result.Round, error) {
	rounds, err := r.countAllocations(ctx, c, b, k, which)
	if err != nil {
		return nil, err
	}
	events, err := r.countEvents(ctx, c, b, k, which)
	return append(rounds, events...), err
}

// writeCountingRounds writes counting rounds that have a slice of every side.
func (r *runner) writeCountingRounds(b *bench, rounds []result.Round) error {
	for _, round := range rounds {
		b.remember(round)
		if err := r.write(b, round); err != nil {
			return err
		}
	}
	return nil
}

// remember keeps what a counting round says of allocations.
func (b *bench) remember(round result.Round) {
	if slices.ContainsFunc(round.Slices, func(s result.Slice) bool { return s.Counted }) {
		b.counts = append(b.counts, perOpCounts(round.Slices))
	}
}

// allocationRounds are the counting rounds of a block. What counts is their
// median: the runtime starts a thread now and then, and a thread is a few
// allocations of its own.
const allocationRounds = 3

// countAllocations runs the counting rounds of a benchmark that pauses too
// often for its allocations to be counted in timed slices: about 1,000 pauses
// in each of the first two blocks; where they agree, that settles it, else 250
// in each block.
func (r *runner) countAllocations(ctx context.Context, c *crew, b *bench, k int, which []int) (rounds []result.Round, err error) {
	if !b.paused || k >= 2 && b.agreed() {
		return nil, nil
	}
	pauses, longest := int64(1000), 500*time.Millisecond // a twentieth of the default budget
	if k >= 2 {
		pauses, longest = 250, 125*time.Millisecond
	}
	order := worker.Order{N: b.countingIterations(pauses/allocationRounds, longest/allocationRounds), Reading: worker.Every}
	for range allocationRounds {
		at := r.at()
		_, slices, err := c.round(ctx, b, turn{which, order}, turn{})
		if err != nil {
			return nil, err
		}
		for i := range slices {
			slices[i].Metrics = nil // known from timed rounds
		}
		rounds = append(rounds, result.Round{Block: k, Round: -1, At: at, Order: which, Slices: slices, Counting: true})
	}
	return rounds, nil
}

// agreed tells whether the last two blocks counted the same allocations.
func (b *bench) agreed() bool {
	n := len(b.counts)
	if n < 2*allocationRounds {
		return false
	}
	for v := range b.counts[0] {
		var typical [2]float64
		for block := range typical {
			var counts []float64
			for i := range allocationRounds {
				counts = append(counts, b.counts[n-(1+block)*allocationRounds+i][v])
			}
			typical[block] = stats.Median(counts)
		}
		if math.Abs(typical[0]-typical[1]) > 0.001*max(typical[0], typical[1]) {
			return false
		}
	}
	return true
}

// countingIterations are as many as wanted, so that fractions are exact; fewer
// where they would take longer than longest, what is counted in them not
// included, but at least those of a timed slice.
func (b *bench) countingIterations(wanted int64, longest time.Duration) int64 {
	if b.wall <= 0 {
		return min(b.n, wanted)
	}
	return min(wanted, max(b.n, int64(longest/b.wall)))
}

// beside adds the slices that other rounds have of one side.
func beside(rounds, others []result.Round, side int) []result.Round {
	if rounds == nil {
		return others
	}
	for i := range rounds[:min(len(rounds), len(others))] {
		rounds[i].Slices[side] = others[i].Slices[side]
	}
	return rounds
}

func perOpCounts(slices []result.Slice) []float64 {
	perOp := make([]float64, len(slices))
	for v, s := range slices {
		if s.N > 0 {
			perOp[v] = float64(s.Mallocs) / float64(s.N)
		}
	}
	return perOp
}

// aloneBlock runs a block with one worker alive at a time, in mirrored order
// (first, second, second, first), for benchmarks that cannot coexist.
func (r *runner) aloneBlock(ctx context.Context, b *bench, k int, plan BlockPlan, bins map[int]Binary, which []int) error {
	turned := slices.Clone(which)
	slices.Reverse(turned)
	number := 0
	var counting []result.Round
	for half, order := range [][]int{which, turned} {
		var rounds []result.Round
		at := r.at()
		for _, v := range order {
			timed, counted, err := r.aloneSide(ctx, b, k, plan, bins, v, half == 0)
			if err != nil {
				return err
			}
			rounds, counting = beside(rounds, timed, v), beside(counting, counted, v)
		}
		for _, round := range rounds {
			round.Round, round.At, round.Order = number, at, order
			if err := r.write(b, round); err != nil {
				return err
			}
			number++
		}
	}
	return r.writeCountingRounds(b, counting)
}

// aloneSide runs half a block of one variant: rounds that have its slices and
// no other's.
func (r *runner) aloneSide(ctx context.Context, b *bench, k int, plan BlockPlan, bins map[int]Binary, v int, count bool) (timed, counted []result.Round, err error) {
	only := []int{v}
	c, err := r.start(ctx, b, plan, bins, only)
	if err != nil {
		return nil, nil, err
	}
	defer c.close()
	if b.n == 0 {
		if err := c.pilot(ctx, b, only); err != nil {
			return nil, nil, err
		}
	}
	if err := c.openCounters(ctx, b, only); err != nil {
		return nil, nil, err
	}
	warmups := 1
	if b.rounds == 1 {
		warmups = 0 // a slow operation
	}
	for i := range warmups + max(1, b.rounds/2) {
		t, slices, err := c.round(ctx, b, turn{only, worker.Order{N: b.n, Reading: b.reading(i)}}, turn{})
		if err != nil {
			return nil, nil, err
		}
		r.sliced(t)
		if i >= warmups {
			timed = append(timed, result.Round{Block: k, Slices: slices})
		}
	}
	if count {
		if counted, err = r.countingRounds(ctx, c, b, k, only); err != nil {
			return nil, nil, err
		}
	}
	return timed, counted, c.end(ctx, b, timed[len(timed)-1].Slices)
}
