package study

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

func (r *runner) chooseFuncOrders(all []*packageBenchmarks) {
	family, benchmarks := 0, 0
	for _, g := range all {
		for _, f := range g.all {
			if !r.needless(f) {
				family += max(1, r.variants()-1)
			}
		}
		benchmarks += r.toMeasure(g)
	}
	expected := r.o.Study
	expected.Family = r.o.wholeFamily(family)
	fewest := judge.DesignOf(expected).LeastOrders()
	budget := seconds(r.budget())
	if r.o.TotalSeconds > 0 && budget == 0 {
		budget = seconds(planShare*r.o.TotalSeconds) / time.Duration(max(1, benchmarks))
	}
	for _, g := range all {
		g.links.chooseFuncOrders(r.toMeasure(g), r.most(), fewest, budget)
	}
}

// afford is the number of further blocks of b that fit into the rest of its
// budget. It estimates from the blocks so far, or from the first iteration,
// which every block needs.
func (r *runner) afford(b *bench) int {
	budget := seconds(r.budget())
	if budget <= 0 {
		return math.MaxInt32
	}
	typical := max(budget/plannedBlocks, time.Duration(r.variants())*b.took)
	if n := len(b.Blocks); n > 0 {
		typical = max(b.spent/time.Duration(n), time.Microsecond)
	}
	return 1 + int(max(0, budget-b.spent)/typical)
}

// most is the most blocks of a benchmark.
func (r *runner) most() int { return r.o.Study.MaxBlocks }

// budget is the time for the blocks of a benchmark in seconds.
func (r *runner) budget() float64 { return r.o.Study.BudgetSeconds }

func (r *runner) timeout() time.Duration { return seconds(r.o.TimeoutSeconds) }

// measure measures blocks of b, on other machines all up to a look at once, until b
// has upTo good blocks or is done, or the total is over. The watcher then gets b with
// its rounds, and may end it.
func (r *runner) measure(ctx context.Context, b *bench, upTo int) error {
	defer b.pack()
	for {
		ended, err := r.ended(ctx, b, upTo)
		switch {
		case ended:
			return err
		case r.o.Machines != nil:
			err = r.elsewhere(ctx, b)
		default:
			err = r.here(ctx, b, upTo)
		}
		var f *Failed
		switch {
		case ctx.Err() != nil:
			return r.interrupted(ctx, b)
		case errors.As(err, &f):
			return r.stop(b, f.Reason, f)
		case err != nil:
			return err
		case r.o.Watcher == nil:
			continue
		}
		if b.decision = r.o.Watcher.Observe(r.o.Study, b.Unpacked()); b.decision.Done {
			return r.stop(b, b.decision.Reason, nil)
		}
	}
}

// here measures the next block of b on this machine.
func (r *runner) here(ctx context.Context, b *bench, upTo int) error {
	began := time.Now()
	defer func() { b.wall, b.waited = b.wall+max(0, time.Since(began)-b.waited), 0 }()
	good, done := b.GoodBlocks(), len(b.Blocks)
	// No difference is called before this many blocks, so few studies end here.
	looked := max(upTo, r.design.FirstCalled())
	b.unpack()
	// The next block gets the order of a lost block.
	b.links.ahead(good, good+min(looked-good, r.afford(b)))
	r.event(Event{Phase: "measuring", Benchmark: b.Benchmark, Rounds: b.rounds(), Blocks: done, Left: r.forecast(), Reach: r.reach()})
	return r.block(ctx, b, done, good)
}

// ended reports whether b has upTo good blocks, or ends: no further block is
// allowed, wherever blocks are measured.
func (r *runner) ended(ctx context.Context, b *bench, upTo int) (bool, error) {
	good, allowed := b.GoodBlocks(), r.allowance(b)
	switch {
	case b.done || r.late():
		return true, nil
	case ctx.Err() != nil:
		return true, r.interrupted(ctx, b)
	case good >= r.most():
		return true, r.stop(b, "blocks", nil)
	case good >= upTo:
		return true, nil
	// The choice of the plan is free, unless it takes longer than the budget.
	case len(b.Blocks) > 0 && allowed > 0 && max(0, b.once-seconds(r.budget()))+b.spent+b.nextBlock() > allowed:
		if b.setup > 0 && b.once > seconds(r.budget()) {
			if err := r.once(catalog.SlowSetup.Of(b.Name, finding.Number("setup", b.setup))); err != nil {
				return true, err
			}
		}
		return true, r.stop(b, "budget", nil)
	}
	return false, nil
}

// allowance is the time that b may take: its budget, or 0 for no limit. On a busy
// machine other programs take most of it, which must not prevent the verdict, or
// the interval of a level. So b may take twice its budget if the blocks for it would
// fit into the budget without their delays, or if they are long runs.
func (r *runner) allowance(b *bench) time.Duration {
	budget, needed := seconds(r.budget()), r.design.FirstCalled()
	if r.variants() == 1 {
		needed = r.most() // of which those in the default order give a level and its interval
	}
	if n := len(b.Blocks); n > 0 && b.GoodBlocks() < needed && (b.pilot.Whole || b.quickest(n, b.undelayed)*time.Duration(needed) <= budget) {
		return 2 * budget
	}
	return budget
}

// undelayed is the time of a block without the delays of its slices.
func (b *bench) undelayed(block int) time.Duration {
	took := b.block(block)
	for _, r := range b.Blocks[block].Timed() {
		for _, s := range r.Slices {
			took -= time.Duration(s.Delay)
		}
	}
	return max(0, took)
}

// block is the time of a block without what only the first one needs.
func (b *bench) block(i int) time.Duration {
	took := seconds(b.Blocks[i].Seconds)
	if i == 0 {
		took = max(0, took-b.once)
	}
	return took
}

// nextBlock is the expected time of the next block: the faster of the last
// two.
func (b *bench) nextBlock() time.Duration { return b.quickest(2, b.block) }

func (b *bench) quickest(n int, took func(block int) time.Duration) time.Duration {
	least := time.Duration(math.MaxInt64)
	for i := max(0, len(b.Blocks)-n); i < len(b.Blocks); i++ {
		least = min(least, took(i))
	}
	return least
}

func (r *runner) interrupted(ctx context.Context, b *bench) error {
	if context.Cause(ctx) != errTotal {
		r.stop(b, "interrupted", nil)
	}
	return ctx.Err()
}

func (r *runner) stop(b *bench, reason string, f *Failed) error {
	b.done = true
	r.events.Lock()
	r.finished++
	r.events.Unlock()
	s := &result.Stop{Benchmark: b.index, Reason: reason}
	if f != nil {
		s.Variant, s.Everywhere, s.Message = f.Variant, f.Everywhere, f.Message
	}
	r.event(Event{Phase: "finished", Benchmark: b.Benchmark, Rounds: b.rounds(), Blocks: len(b.Blocks), Reason: reason, Left: r.forecast(), Reach: r.reach()})
	return r.o.Write(result.Line{Stop: s})
}
