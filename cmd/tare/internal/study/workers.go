package study

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/worker"
	"github.com/tarebench/tare/internal/finding"
)

// workerSet are the running workers of a block: the workers of all its
// variants, or of one if they cannot coexist.
type workerSet struct {
	r     *runner
	b     *bench
	group worker.Group
	// variants are the variants of the sides of the group.
	variants []int
	// perOp is the time of an operation in the search by side, in nanoseconds.
	perOp []float64
	// used is the resource use of the processes by side.
	used []result.Process
	// more is how many untimed iterations a variant runs before a slice, for each timed
	// one. See [workerSet.even].
	more  []float64
	apart bool // slices of all variants run at the same time
}

// roundPlan is a round to come: a slice of every variant, in this order. Long
// runs have different iterations by variant.
type roundPlan struct {
	order   []int
	n, warm int64
	long    []int64
	reading worker.Reading
}

func (t roundPlan) slot(variant, side int, more float64) worker.Slot {
	s := worker.Slot{Side: side, N: t.n, Warm: t.warm + int64(more*float64(t.n)), Reading: t.reading}
	if t.long != nil {
		s.N, s.Warm, s.Reading = t.long[variant], t.warm, s.Reading|worker.Long
	}
	return s
}

// start starts workers of these variants, in this order, on some CPUs (none
// means all). The slices of workers apart run at the same time.
func (r *runner) start(ctx context.Context, b *bench, bins map[int]Binary, variants, cpus []int, apart bool) (*workerSet, error) {
	l := &workerSet{r: r, b: b, variants: variants, used: make([]result.Process, len(variants)), more: make([]float64, r.variants()), apart: apart}
	configs := make([]worker.Config, len(variants))
	for side, v := range variants {
		bin := bins[v]
		configs[side] = worker.Config{
			Path: bin.Path, Dir: bin.Dir, Env: bin.Env, Plan: r.o.Plan,
			Bench: b.pattern(), Name: "Benchmark" + b.Name, Procs: r.procsOn(bin, b.Procs, cpus), Home: r.home,
		}
	}
	r.measureOn(b, cpus)
	group, err := r.processes.start(ctx, configs, worker.Options{CPUs: cpus, Shift: b.shift, Apart: apart, Timeout: r.timeout()})
	if err != nil {
		return nil, l.failed(ctx, err)
	}
	l.group = group
	var why string
	if b.direct, why = group.Direct(); !b.direct && len(variants) > 1 {
		if err := r.find(catalog.NoHandover.Of(b.Pkg, finding.Text("why", why))); err != nil {
			group.Close()
			return nil, err
		}
	}
	for side := range variants {
		b.noteStops(group.Leaf(side).Slice)
	}
	return l, nil
}

// failed turns the error of a variant's process into a failure of the variant.
// Errors of tare itself are returned unchanged.
func (l *workerSet) failed(ctx context.Context, err error) error {
	var of *worker.SideError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case !errors.As(err, &of) || of.Side >= len(l.variants):
		return err
	}
	f := &Failed{Variant: l.variants[of.Side], Reason: failedReason}
	said := failureText(of.Output)
	switch {
	case of.Message.Kind == worker.Skip:
		f.Reason, f.Message = skippedReason, of.Message.Words
	case of.Message.Kind == worker.Fail:
		f.Message = cmp.Or(of.Message.Words, said)
	case errors.Is(of.Err, worker.ErrGone) && of.Exit != nil:
		f.Message = of.Exit.Error() + "\n" + said
	case errors.Is(of.Err, worker.ErrGone) && (l.group == nil || l.group.Leaf(of.Side).Kind == ""):
		f.Message = "the benchmark did not run: " + said
	case errors.Is(of.Err, worker.ErrGone):
		f.Message = "the test process ended in the middle (exit status 0)\n" + said
	default:
		f.Message = of.Err.Error() + "\n" + said
	}
	return f
}

// take runs turns and returns the complete rounds, including the rounds
// before an error.
func (l *workerSet) take(ctx context.Context, turns []roundPlan) ([]result.Round, error) {
	var slots []worker.Slot
	for _, t := range turns {
		for _, v := range t.order {
			if side := slices.Index(l.variants, v); side >= 0 {
				slots = append(slots, t.slot(v, side, l.more[v]))
			}
		}
	}
	at := l.r.elapsed()
	taken, err := l.group.Run(ctx, slots)
	took := l.r.elapsed() - at
	for side, u := range l.group.Uses() {
		l.used[side].Add(u)
	}
	inside, measured := 0.0, time.Duration(0)
	for _, s := range taken {
		inside += s.Span / 1e9
		l.b.noteStops(s)
		if l.b.pilot.Paused {
			measured += time.Duration(s.Span)
		} else {
			measured += time.Duration(s.Raw)
		}
	}
	if l.apart { // at the same time
		measured /= time.Duration(len(l.variants))
	}
	l.r.inSlices += measured
	var rounds []result.Round
	passed := 0.0
	for _, t := range turns {
		round := result.Round{At: at, Order: t.order, Slices: make([]result.Slice, l.r.variants())}
		if inside > 0 {
			// Spread the rest of the time evenly between the slices, in whole microseconds.
			round.At = math.Trunc((at+took*passed/inside)*1e6) / 1e6
		}
		for _, v := range t.order {
			if !slices.Contains(l.variants, v) {
				continue
			}
			if len(taken) == 0 {
				return rounds, l.failed(ctx, err)
			}
			round.Slices[v] = taken[0]
			passed += taken[0].Span / 1e9
			taken = taken[1:]
		}
		rounds = append(rounds, round)
	}
	if err != nil {
		err = l.failed(ctx, err)
	}
	return rounds, err
}

func (l *workerSet) takeUsage(blk *result.Block) {
	if blk.Processes == nil {
		blk.Processes = make([]result.Process, l.r.variants())
	}
	for side, v := range l.variants {
		blk.Processes[v].Add(l.used[side])
		l.used[side] = result.Process{}
	}
}

// end lets the benchmarks and their processes finish, so that clean-up code
// runs. Here arrives the output of a b.Loop benchmark after its loop: its
// failure, and metrics, which belong to the last slice of each variant.
func (l *workerSet) end(ctx context.Context, last []result.Slice) error {
	messages, err := l.group.End(ctx)
	if err != nil {
		return l.failed(ctx, err)
	}
	if l.b.Loop != "b.Loop" {
		return nil
	}
	for side, m := range messages {
		if len(m.Slice.Metrics) == 0 || last == nil {
			continue
		}
		s := &last[l.variants[side]]
		if s.Metrics == nil {
			s.Metrics = make(map[string]float64)
		}
		maps.Copy(s.Metrics, m.Slice.Metrics)
	}
	return nil
}

// batch is the target duration of a batch of rounds. Between two batches tare
// checks the budget, and whether the user has interrupted.
const batch = 50 * time.Millisecond

// even lets a variant that was more than twice as fast as another run untimed before
// its slices, until both take as long: meanwhile it gets back what the other takes
// from its caches. The choice is made anew in each block, from its last batch, so that
// without a change no variant has it more often than another.
func (l *workerSet) even(batch []result.Round) {
	if l.r.size.fixed > 0 || l.b.pilot.Paused || l.b.setup > 0 {
		return
	}
	took := make([]float64, len(l.more))
	for _, r := range batch {
		for v, s := range r.Slices {
			took[v] += s.Seconds()
		}
	}
	slowest := slices.Max(took)
	for v, own := range took {
		if l.more[v] = 0; own > 0 && slowest > 2*own {
			l.more[v] = slowest/own - 1
		}
	}
}

// takeAll takes turns in batches until enough, called between two of them,
// returns true. The first batch is one round: it shows how long rounds take.
func (l *workerSet) takeAll(ctx context.Context, turns []roundPlan, enough func() bool) (rounds []result.Round, err error) {
	for size := 1; len(turns) > 0 && (len(rounds) == 0 || !enough()); {
		size = min(size, len(turns))
		began := time.Now()
		some, err := l.take(ctx, turns[:size])
		rounds = append(rounds, some...)
		if err != nil {
			return rounds, err
		}
		turns = turns[size:]
		l.even(some)
		took := max(time.Since(began), time.Microsecond)
		size = int(min(max(1, float64(size)*float64(batch)/float64(took)), 2*float64(size)))
	}
	return rounds, nil
}
