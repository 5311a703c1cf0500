package study

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/finding"
	"github.com/tarebench/tare/internal/kind"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/worker"
)

// block runs block k of b and writes its lines.
func (r *runner) block(ctx context.Context, b *bench, k int) error {
	plan := r.plan.Block(b.Key, k)
	bins, err := r.links.binaries(ctx, plan.Layouts)
	if err != nil {
		return err
	}
	if !r.links.varied {
		plan.Layouts = make([]uint64, r.variants())
	}
	var after func() string
	if r.o.Disturbed != nil {
		after = r.o.Disturbed()
	}
	began := time.Now()
	r.inSlices = 0
	blk := &result.Block{Benchmark: b.index, Block: k, Layouts: plan.Layouts}
	before := b.plan
	which := slices.DeleteFunc(slices.Clone(plan.Start), func(v int) bool { return slices.Contains(b.Missing, v) })
	served := true
	for _, v := range which {
		served = served && bins[v].Overlaid
	}
	switch {
	case !served:
		err = r.plainBlock(ctx, b, blk, plan, bins, which)
	case b.plan.Alone:
		err = r.aloneBlock(ctx, b, blk, plan, bins, which)
	default:
		err = r.lockstepBlock(ctx, b, blk, plan, bins, which)
		var f *failure
		if errors.As(err, &f) && f.reason == "failed" && len(b.Blocks) == 0 && len(which) > 1 && ctx.Err() == nil {
			// It may be that two of them cannot live beside each other.
			*b, r.inSlices = bench{index: b.index, Benchmark: b.Benchmark}, 0
			blk = &result.Block{Benchmark: b.index, Block: k, Try: blk.Try + 1, Layouts: plan.Layouts}
			again := r.aloneBlock(ctx, b, blk, plan, bins, which)
			if again == nil {
				b.plan.Alone = true
				err = r.once(kind.OneAtATime.Of(b.Name, finding.Text("why", firstLine(f.message))))
			}
		}
	}
	if err != nil {
		return err
	}
	wall := time.Since(began)
	b.spent += wall
	blk.First, blk.Seconds, blk.SliceSeconds = which[0], wall.Seconds(), r.inSlices.Seconds()
	if after != nil {
		blk.Disturbed = after()
	}
	blk, err = blk.AsRead()
	if err != nil {
		return err
	}
	for _, round := range blk.Counting {
		b.remember(round)
	}
	b.Blocks = append(b.Blocks, *blk)
	if b.plan != before {
		if err := r.writePlan(b); err != nil {
			return err
		}
		before = b.plan
	}
	if err := r.o.Write(result.Line{Block: blk}); err != nil {
		return err
	}
	if r.resize(b); b.plan != before {
		return r.writePlan(b)
	}
	return nil
}

// writePlan puts what was chosen on record.
func (r *runner) writePlan(b *bench) error {
	plan := b.plan
	plan.Benchmark, plan.Procs = b.index, b.Procs
	b.Plan = &plan
	return r.o.Write(result.Line{Plan: &plan})
}

// lockstepBlock runs a block with all workers alive together.
func (r *runner) lockstepBlock(ctx context.Context, b *bench, blk *result.Block, plan BlockPlan, bins map[int]Binary, which []int) error {
	c, err := r.start(ctx, b, plan, bins, which)
	if err != nil {
		return err
	}
	defer c.close()
	if b.plan.Iterations == 0 {
		if err := c.pilot(ctx, b, which); err != nil {
			return err
		}
	}
	if err := c.openCounters(ctx, b, which); err != nil {
		return err
	}
	var last result.Round
	turns := b.turns(blk.Block, plan.Orders(b.plan.Rounds+1))
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
		last = result.Round{At: at, Order: now.order, Slices: slices, Warmup: i == 0 && len(turns) > 1}
		blk.Rounds = append(blk.Rounds, last)
	}
	if blk.Counting, err = r.countingRounds(ctx, c, b, blk.Block, which); err != nil {
		return err
	}
	return c.end(ctx, b, last.Slices)
}

// overspent tells whether a block that has taken so long ends with the round
// to come: where slices wait far longer than they run (a benchmark that leaves
// goroutines spinning, a machine that others use), one block may otherwise
// take many times the budget.
func (r *runner) overspent(b *bench, took time.Duration) bool {
	budget := seconds(r.o.Study.BudgetSeconds)
	return budget > 0 && b.spent+took > budget
}

// turns are the rounds of block k.
func (b *bench) turns(k int, orders [][]int) []turn {
	if b.plan.Rounds == 1 {
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
	case b.plan.Paused:
		return worker.Unread // there would be too many intervals
	case round%8 == 1, b.plan.Rounds < 16:
		return worker.Few
	}
	return worker.Unread
}

// aloneBlock runs a block with one worker alive at a time, in mirrored order
// (first, second, second, first), for benchmarks that cannot coexist.
func (r *runner) aloneBlock(ctx context.Context, b *bench, blk *result.Block, plan BlockPlan, bins map[int]Binary, which []int) error {
	turned := slices.Clone(which)
	slices.Reverse(turned)
	for half, order := range [][]int{which, turned} {
		var rounds []result.Round
		at := r.at()
		for _, v := range order {
			timed, counted, err := r.aloneSide(ctx, b, blk.Block, plan, bins, v, half == 0)
			if err != nil {
				return err
			}
			rounds, blk.Counting = beside(rounds, timed, v), beside(blk.Counting, counted, v)
		}
		for i := range rounds {
			rounds[i].At, rounds[i].Order = at, order
		}
		blk.Rounds = append(blk.Rounds, rounds...)
	}
	return nil
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
	if b.plan.Iterations == 0 {
		if err := c.pilot(ctx, b, only); err != nil {
			return nil, nil, err
		}
	}
	if err := c.openCounters(ctx, b, only); err != nil {
		return nil, nil, err
	}
	warmups := 1
	if b.plan.Rounds == 1 {
		warmups = 0 // a slow operation
	}
	for i := range warmups + max(1, b.plan.Rounds/2) {
		t, slices, err := c.round(ctx, b, turn{only, worker.Order{N: b.plan.Iterations, Reading: b.reading(i)}}, turn{})
		if err != nil {
			return nil, nil, err
		}
		r.sliced(t)
		if i >= warmups {
			timed = append(timed, result.Round{Slices: slices})
		}
	}
	if count {
		if counted, err = r.countingRounds(ctx, c, b, k, only); err != nil {
			return nil, nil, err
		}
	}
	return timed, counted, c.end(ctx, b, timed[len(timed)-1].Slices)
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

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
