package study

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/worker"
	"github.com/tarebench/tare/internal/finding"
)

type attempt struct {
	b     *bench
	blk   *result.Block
	drawn BlockPlan
	bins  map[int]Binary
	// which lists the variants that have the benchmark, in the order in
	// which they start.
	which []int
	began time.Time
	// long are the long runs so far, which stay when the block begins again. Others
	// used this part of what all CPUs had during those on all CPUs, in seconds.
	long       []result.Round
	others, of float64
	// after observes the machine since the block began.
	after func() (unreadable string, disturbed []finding.Finding)
}

// observe notes what happened since the block began, and its long runs.
func (a *attempt) observe() (disturbed []finding.Finding) {
	a.blk.Disturbed, disturbed = a.after()
	a.blk.Long = a.long
	if share := a.others / a.of; share >= 0 {
		a.blk.Others = &share
	}
	return disturbed
}

// beside notes what others use until the returned function is called.
func (a *attempt) beside(after func() (used, of float64)) func() {
	return func() {
		used, of := after()
		a.others, a.of = a.others+used, a.of+of
	}
}

// block runs block k of b with a function order and records it. If the block
// fails in the middle, the finished rounds are recorded too.
func (r *runner) block(ctx context.Context, b *bench, k, order int) error {
	plan := b.links.draws.Block(b.Key, k)
	plan.FuncOrders = b.links.draws.funcOrderSeeds(b.Pkg, order)
	asked := time.Now()
	bins, err := b.links.binaries(ctx, order)
	if err == nil {
		err = r.count(ctx, b, bins)
	}
	b.waited += time.Since(asked)
	if err != nil {
		return err
	}
	if !b.links.varied {
		plan.FuncOrders = make([]uint64, r.variants())
	}
	which := slices.DeleteFunc(slices.Clone(plan.Start), func(v int) bool { return slices.Contains(b.Missing, v) })
	r.measureOn(b, r.cpusOf(b))
	r.inSlices, b.shift = 0, plan.Shift
	a := &attempt{
		b: b, drawn: plan, bins: bins, which: which, began: time.Now(), after: r.processes.bracket(),
		blk: &result.Block{Benchmark: b.index, Block: k, First: which[0], FuncOrders: plan.FuncOrders},
	}
	before := b.pilot
	if err = r.attempt(ctx, a); err == nil {
		err = r.climb(ctx, a)
	}
	disturbed := a.observe()
	if err != nil && (len(a.blk.Rounds) == 0 || ctx.Err() != nil) {
		return err
	}
	wall := time.Since(a.began)
	b.spent += b.charged(wall)
	a.blk.Seconds, a.blk.SliceSeconds = wall.Seconds(), r.inSlices.Seconds()
	r.disturbed.add(append(disturbed, r.procsChanged(b, a.blk)...))
	if err != nil {
		a.blk.Failed = firstLine(err.Error())
	}
	if a.blk.Good() {
		if werr := r.findInCounts(b); werr != nil {
			return werr
		}
		a.blk.Counting = append(a.blk.Counting, b.counted.rounds...)
		b.counted = counts{}
	}
	if werr := r.record(b, a.blk, before); werr != nil {
		return werr
	}
	return err
}

// record writes a block. The plan that the block followed comes before it,
// and the next plan after it.
func (r *runner) record(b *bench, blk *result.Block, before result.Pilot) error {
	// From here on the judge reads the same data as readers of the recording.
	blk.Pack()
	blk.Unpack()
	b.Blocks = append(b.Blocks, *blk)
	if !b.pilot.Equal(before) {
		if err := r.writePlan(b); err != nil {
			return err
		}
		before = b.pilot
	}
	if err := r.o.Write(result.Line{Block: blk}); err != nil || !r.o.Timed() {
		return err
	}
	if r.resize(b); !b.pilot.Equal(before) {
		return r.writePlan(b)
	}
	return nil
}

func (r *runner) writePlan(b *bench) error {
	plan := b.pilot
	plan.Benchmark, plan.Procs = b.index, r.procsOn(Binary{}, b.Procs, r.cpusOf(b))
	b.Pilot = &plan
	return r.o.Write(result.Line{Pilot: &plan})
}

// begin starts the workers of a block. The workers of the first block choose
// the plan.
func (r *runner) begin(ctx context.Context, a *attempt, variants []int) (*workerSet, error) {
	b, began, first := a.b, time.Now(), a.b.pilot.Iterations == 0
	if first {
		if err := r.pilot(ctx, a, variants); err != nil {
			return nil, err
		}
	}
	l, err := r.start(ctx, b, a.bins, variants, r.cpusOf(b), b.starved())
	if f := (*Failed)(nil); first && b.pilot.CPUs != "" && errors.As(err, &f) {
		b.pilot.CPUs = "" // it runs on all CPUs only
		l, err = r.start(ctx, b, a.bins, variants, nil, false)
	}
	if err != nil {
		return nil, err
	}
	if first {
		err = l.probe(ctx)
		b.once = time.Since(began)
	}
	if err != nil {
		l.group.Close()
		return nil, err
	}
	return l, nil
}

// pilot finds the shortest slices, and whether a benchmark uses several CPUs.
func (r *runner) pilot(ctx context.Context, a *attempt, variants []int) error {
	b := a.b
	defer a.beside(r.processes.watchOthers())() // after the workers have ended
	long, err := r.firstLong(ctx, a, variants)
	if err != nil {
		return err
	}
	a.long = []result.Round{long}
	if err := r.sizeCPUs(ctx, a, variants); err != nil {
		return err
	}
	if b.oneCPU = !b.parallel(long); !b.oneCPU {
		// In short slices the threads of its goroutines still wake up.
		b.lengthen(&b.pilot, r.size)
	} else if r.cpu != nil {
		b.pilot.CPUs = machine.FormatCPUList(r.cpu)
	}
	return nil
}

// firstLong starts workers on all CPUs, finds the shortest slices, and takes the first
// long runs.
func (r *runner) firstLong(ctx context.Context, a *attempt, variants []int) (long result.Round, err error) {
	l, err := r.start(ctx, a.b, a.bins, variants, nil, false)
	if err != nil {
		return long, err
	}
	defer l.group.Close()
	if err := l.search(ctx); err != nil {
		return long, err
	}
	if long, err = l.sizeLong(ctx); err != nil {
		return long, err
	}
	if all := a.b.pilot.Long; len(variants) > 1 && slices.Min(all) < slices.Max(all) {
		// The slices of a quicker variant were cold. Now it has warm-ups.
		if err := l.search(ctx); err != nil {
			return long, err
		}
	}
	return long, l.end(ctx, nil)
}

func (r *runner) lockstepBlock(ctx context.Context, a *attempt) error {
	b, blk := a.b, a.blk
	l, err := r.begin(ctx, a, a.which)
	if err != nil {
		return err
	}
	defer l.group.Close()
	turns := b.plannedRounds(a.drawn.variantOrders(b.pilot.Rounds+1), a.drawn.scatter)
	began := time.Now()
	blk.Rounds, err = l.takeAll(ctx, turns, func() bool { return r.full(a, began) })
	if err == nil && r.o.Audit {
		err = l.rest(ctx, time.Since(began))
	}
	l.takeUsage(blk)
	if err == nil {
		blk.Counting, err = l.takeExtra(ctx, blk.Processes)
	}
	if len(turns) > 1 && len(blk.Rounds) > 1 {
		blk.Rounds[0].Warmup = true
	}
	if err != nil {
		return err
	}
	return l.end(ctx, blk.Rounds[len(blk.Rounds)-1].Slices)
}

// rest lets goroutines that outlive their operations run for a time, however they
// were started. The use of the processes counts it, at the end of another slice.
func (l *workerSet) rest(ctx context.Context, most time.Duration) error {
	select {
	case <-ctx.Done():
	case <-time.After(min(most, time.Second)):
	}
	_, err := l.take(ctx, []roundPlan{{order: l.variants, n: 1}})
	return err
}

// charged is the part of a block's time that counts toward the budget. The
// choice of the plan does not count.
func (b *bench) charged(wall time.Duration) time.Duration {
	if len(b.Blocks) > 0 {
		return wall
	}
	return max(0, wall-b.once)
}

// full reports whether the rounds of a block, since began, have had their share of
// the budget, or the benchmark its time.
func (r *runner) full(a *attempt, began time.Time) bool {
	budget, allowed := seconds(r.budget()), r.allowance(a.b)
	spent := a.b.spent + a.b.charged(time.Since(a.began))
	return r.late() || allowed > 0 && spent > allowed || budget > 0 && time.Since(began) > budget/plannedBlocks
}

func (b *bench) plannedRounds(orders [][]int, scatter func(n int64) int64) []roundPlan {
	collects := b.metCollector() && !b.pilot.Whole
	if b.pilot.Rounds == 1 && !collects {
		orders = orders[:1] // a slow operation has one round, without a warm-up
	}
	turns := make([]roundPlan, len(orders))
	for i, order := range orders {
		turns[i] = roundPlan{order: order, n: b.pilot.Iterations, warm: b.pilot.Warmup, reading: b.reading(i)}
		if b.pilot.Whole {
			turns[i].long = b.pilot.Long
			continue
		}
		if collects {
			turns[i].n = scatter(turns[i].n)
		}
	}
	if b.pilot.Rounds == 1 && collects {
		// A new process must fill its heap and get its memory pages first.
		turns[0].n = max(1, turns[0].n/4)
	}
	return turns
}

// reading selects the quantities to read around the slices of a round. Every
// eighth round reads allocations, which is enough. If a block has few rounds,
// all of them do.
func (b *bench) reading(round int) worker.Reading {
	switch {
	case b.pilot.Paused:
		return worker.Unread // there would be too many intervals
	case round%8 == 1, b.pilot.Rounds < 16:
		return worker.Few
	}
	return worker.Unread
}

// aloneBlock runs a block with one worker alive at a time, for benchmarks
// that cannot coexist. The order is mirrored: first, second, second, first.
func (r *runner) aloneBlock(ctx context.Context, a *attempt) error {
	own := make(map[int][]result.Round) // in addition to the timed rounds
	for _, order := range [][]int{a.which, turned(a.which)} {
		var rounds []result.Round
		at := r.elapsed()
		for _, v := range order {
			timed, extra, err := r.aloneSide(ctx, a, v)
			if err != nil {
				return err
			}
			own[v] = append(own[v], extra...)
			rounds = withSlices(rounds, timed, v)
		}
		for i := range rounds {
			rounds[i].At, rounds[i].Order = at, order
		}
		a.blk.Rounds = append(a.blk.Rounds, rounds...)
	}
	for v, extra := range own {
		a.blk.Counting = withSlices(a.blk.Counting, extra, v)
	}
	return nil
}

// aloneSide runs half a block of one variant. Its rounds have slices of
// that variant only.
func (r *runner) aloneSide(ctx context.Context, a *attempt, v int) (timed, extra []result.Round, err error) {
	b, only := a.b, []int{v}
	l, err := r.begin(ctx, a, only)
	if err != nil {
		return nil, nil, err
	}
	defer l.group.Close()
	turns := make([]roundPlan, 1+max(1, b.pilot.Rounds/2))
	if b.pilot.Rounds == 1 {
		turns = turns[1:] // a slow operation: no warm-up
	}
	for i := range turns {
		turns[i] = roundPlan{order: only, n: b.pilot.Iterations, warm: b.pilot.Warmup, reading: b.reading(i)}
	}
	timed, err = l.takeAll(ctx, turns, func() bool { return false })
	l.takeUsage(a.blk)
	if err == nil {
		extra, err = l.takeExtra(ctx, a.blk.Processes)
	}
	if err != nil {
		return nil, nil, err
	}
	if len(timed) > max(1, b.pilot.Rounds/2) {
		timed = timed[1:]
	}
	return timed, extra, l.end(ctx, timed[len(timed)-1].Slices)
}

func withSlices(rounds, others []result.Round, variant int) []result.Round {
	if rounds == nil {
		return others
	}
	for i := range rounds[:min(len(rounds), len(others))] {
		rounds[i].Slices[variant] = others[i].Slices[variant]
	}
	return rounds
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
