package study

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/tarebench/tare/finding"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/sequential"
)

// Options are what a study needs from the floors above it.
type Options struct {
	// Study is the plan's head: variants, seed, α, δ, blocks, budget.
	Study result.Study
	// Sources build the variants, in the order of Study.Variants.
	Sources []Source
	// Packages are the import paths to measure.
	Packages []string
	// Bench and Skip are patterns as in go test; Procs the -cpu list, empty for
	// the runtime's own number and what a variant's environment says; Args
	// go to the test binary.
	Bench, Skip string
	Procs       []int
	Args        []string
	// Iterations fixes n for every slice (-benchtime 100x); 0 sizes it.
	Iterations int64
	// BlockTime is the timed length of a block and variant; 0 chooses it.
	BlockTime time.Duration
	// Timeout bounds every wait for a worker.
	Timeout time.Duration
	// Counters reads hardware and software counters around every slice.
	Counters bool
	// Layouts is false when every block uses the default link order.
	Layouts bool

	// SameCode, when not nil, says whether a benchmark that all variants have
	// runs the same machine code in all of them: then it is not measured.
	SameCode func(b result.Benchmark) bool
	// FileLog, when not nil, names a file for package os to log the files and
	// environment variables that a variant's benchmarks ask for when they are
	// discovered. Where a process ends early, further ones append a number.
	FileLog func(pkg string, variant int) string

	// Write appends a line to the recording.
	Write func(result.Line) error
	// Judge decides when a benchmark is done; nil measures all blocks.
	Judge Judge
	// Disturbed brackets a block: it is called before, and what it returns
	// after, which names what spoiled the block, if anything.
	Disturbed func() func() string
	// Event tells who watches. It must return at once.
	Event func(Event)
	// CPUs are the processors that workers run on, "0-3,8"; "all" leaves them
	// to the scheduler. Empty lets the study choose one, and leaves benchmarks
	// that use several on all.
	CPUs string
	// Resume is an earlier recording of the same study to go on from.
	Resume *result.Recording
}

// Event is something that happened in a study.
type Event struct {
	// Phase is "building", "discovering", "linking", "measuring" or
	// "finished" (with Reason).
	Phase string
	// Index counts benchmarks from 0, Total is 0 while unknown.
	Index, Total   int
	Benchmark      result.Benchmark
	Rounds, Blocks int
	Reason         string
	// Left is the most measuring time that may still come.
	Left time.Duration
}

// Judge decides when a benchmark is done.
type Judge interface {
	// Observe looks at a benchmark, with all its blocks, after each of them.
	// The study says what it is judged with: its family is known.
	Observe(study result.Study, b result.Benchmark) Decision
}

// Decision is what a [Judge] makes of a benchmark so far.
type Decision struct {
	// Done ends the benchmark, for a Reason: see [result.Stop].
	Done   bool
	Reason string
}

// runner carries a study through.
type runner struct {
	o         Options
	processes processes
	plan      Plan
	size      sizing
	began     time.Time
	benches   []*bench
	// linking limits how many links run at once.
	linking chan struct{}
	// cpu are the processors of workers that use one at a time, home all that
	// the study may use; none where workers cannot be placed.
	cpu, home []int
	// said are the findings on record.
	said []finding.Finding
	// sameCode counts the benchmarks that need no measurement: no verdict on
	// them can be wrong by chance.
	sameCode int
	// inSlices counts the time of the current block spent inside slices.
	inSlices time.Duration
	events   sync.Mutex
}

func (r *runner) variants() int { return len(r.o.Study.Variants) }

// sliced counts a slice of b.
func (r *runner) sliced(b *bench, s result.Slice) {
	if b.plan.Paused {
		r.inSlices += time.Duration(s.Span)
		return
	}
	r.inSlices += time.Duration(s.Raw)
}

// event reports e to who watches, one at a time.
func (r *runner) event(e Event) {
	if r.o.Event == nil {
		return
	}
	r.events.Lock()
	defer r.events.Unlock()
	e.Total = len(r.benches)
	r.o.Event(e)
}

// ErrNothing is returned when no benchmark was measured.
var ErrNothing = errors.New("no benchmark was measured")

// The timed length of a slice. Where variants run in lockstep it is long
// against a clock read (some 25 ns) and a change of the turn (some 4 µs), and
// short against what else the machine does: of many short slices most are not
// interrupted, and those of one round share the speed of the processor
// (docs/decisions/slices.md). A variant alone has longer ones.
const (
	lockstepSlice = 100 * time.Microsecond
	lockstepMost  = 200 // rounds of a block
	aloneSlice    = time.Millisecond
	aloneMost     = 300
	// How many blocks should fit into the budget; of one variant, all of them.
	lockstepBlocks = 40
)

// Run carries out a study. It discovers all benchmarks, writes the study line,
// with the number of comparisons in it, measures, and writes an end line last,
// also when ctx ends it early; then its error is the context's.
func Run(ctx context.Context, o Options) error { return run(ctx, o, realProcesses{}) }

func run(ctx context.Context, o Options, p processes) error {
	r := &runner{o: o, processes: p, began: time.Now(), linking: make(chan struct{}, linkers())}
	r.plan = Plan{Seed: o.Study.Seed, Variants: len(o.Study.Variants)}
	r.size = sizingOf(o)
	if o.Resume != nil {
		if err := r.restore(o.Resume); err != nil {
			return err
		}
	}
	err := r.run(ctx)
	if err != nil && ctx.Err() == nil {
		return err
	}
	end := &result.End{Seconds: time.Since(r.began).Seconds(), Interrupted: ctx.Err() != nil}
	if werr := o.Write(result.Line{End: end}); werr != nil {
		return werr
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for _, b := range r.benches {
		if len(b.Blocks) > 0 {
			return nil
		}
	}
	return ErrNothing
}

// sizingOf divides the budget: of the wall time of a block that its blocks
// leave, four fifths are for slices.
func sizingOf(o Options) sizing {
	z := sizing{slice: lockstepSlice, rounds: lockstepMost, fixed: o.Iterations}
	variants, blocks := len(o.Study.Variants), lockstepBlocks
	if variants == 1 {
		z.slice, z.rounds, blocks = aloneSlice, aloneMost, max(1, o.Study.MaxBlocks)
	}
	z.block = o.BlockTime
	if z.block == 0 {
		budget := o.Study.BudgetSeconds
		if o.Resume != nil {
			budget = o.Resume.Study.BudgetSeconds // a larger one buys blocks, not longer ones
		}
		wall := seconds(budget) / time.Duration(blocks)
		z.block = max(50*time.Millisecond, wall*4/5/time.Duration(variants))
	}
	z.slice = min(z.slice, max(z.block/8, 50*time.Microsecond))
	return z
}

func (r *runner) run(ctx context.Context) error {
	all := r.gatherAll(ctx)
	defer func() {
		for _, g := range all {
			if g.links != nil {
				g.links.close()
			}
		}
	}()
	benches, err := r.announceAll(ctx, all)
	if err != nil {
		return err
	}
	if err := r.place(); err != nil {
		return err
	}
	defer r.leave()
	for i, g := range all {
		if err := r.pkg(ctx, g, benches[i]); err != nil {
			return err
		}
	}
	return nil
}

// announceAll puts the benchmarks of all packages on record, and the study,
// whose family they are.
func (r *runner) announceAll(ctx context.Context, all []*gathered) (benches [][]*bench, err error) {
	for _, g := range all {
		of, aerr := r.announce(g)
		if aerr != nil {
			return nil, aerr
		}
		benches = append(benches, of)
		if err == nil {
			err = g.err
		}
	}
	for _, f := range r.procsOverruled() {
		if werr := r.say(f, f.Same); werr != nil {
			return nil, werr
		}
	}
	if r.o.Resume == nil {
		r.o.Study.Family = (len(r.benches) - r.sameCode) * max(1, r.variants()-1)
		if werr := r.o.Write(result.Line{Study: &r.o.Study}); werr != nil {
			return nil, werr
		}
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return benches, err
}

// pkg measures the benchmarks of one package: all of them up to a look, then
// those that are still open up to the next.
func (r *runner) pkg(ctx context.Context, g *gathered, open []*bench) error {
	looks := sequential.NewDesign(r.o.Study.MaxBlocks, r.o.Study.Alpha, r.o.Study.Family)
	for upTo := looks.Next(0); ; upTo = looks.Next(upTo) {
		open = slices.DeleteFunc(slices.Clone(open), func(b *bench) bool { return b.done })
		if len(open) == 0 {
			return nil
		}
		for _, b := range open {
			if err := r.measure(ctx, b, upTo); err != nil {
				return err
			}
		}
	}
}

// afford is how many more blocks of b fit into what is left of its budget, as
// far as its blocks so far tell: one while there are none.
func (r *runner) afford(b *bench) int {
	if len(b.Blocks) == 0 {
		return 1
	}
	if r.o.Study.BudgetSeconds <= 0 {
		return math.MaxInt32
	}
	left := seconds(r.o.Study.BudgetSeconds) - b.spent
	typical := max(b.spent/time.Duration(len(b.Blocks)), time.Microsecond)
	return 1 + int(max(0, left)/typical)
}

// measure runs blocks of b until it has upTo good ones, or is done.
func (r *runner) measure(ctx context.Context, b *bench, upTo int) error {
	budget := seconds(r.o.Study.BudgetSeconds)
	for !b.done {
		if ctx.Err() != nil {
			r.stop(b, "interrupted", nil)
			return ctx.Err()
		}
		good := 0
		for _, k := range b.Blocks {
			if k.Good() {
				good++
			}
		}
		if good >= upTo && good < r.o.Study.MaxBlocks {
			return nil
		}
		if good >= r.o.Study.MaxBlocks {
			return r.stop(b, "blocks", nil)
		}
		var last time.Duration
		if n := len(b.Blocks); n > 0 {
			last = seconds(b.Blocks[n-1].Seconds)
		}
		if len(b.Blocks) > 0 && budget > 0 && b.spent+last > budget {
			return r.stop(b, "budget", nil)
		}
		done := len(b.Blocks)
		b.links.ahead(ctx, done, done+min(upTo-good, r.afford(b)))
		r.event(Event{Phase: "measuring", Index: b.index, Benchmark: b.Benchmark, Rounds: b.rounds(), Blocks: len(b.Blocks), Left: budget - b.spent})
		err := r.block(ctx, b, len(b.Blocks))
		var f *failure
		switch {
		case ctx.Err() != nil:
			r.stop(b, "interrupted", nil)
			return ctx.Err()
		case errors.As(err, &f):
			return r.stop(b, f.reason, f)
		case err != nil:
			return err
		}
		if r.o.Judge != nil {
			if d := r.o.Judge.Observe(r.o.Study, b.Benchmark); d.Done {
				return r.stop(b, d.Reason, nil)
			}
		}
	}
	return nil
}

func (r *runner) stop(b *bench, reason string, f *failure) error {
	b.done = true
	s := &result.Stop{Benchmark: b.index, Reason: reason}
	if f != nil {
		s.Variant, s.Message = f.variant, f.message
	}
	r.event(Event{Phase: "finished", Index: b.index, Benchmark: b.Benchmark, Rounds: b.rounds(), Blocks: len(b.Blocks), Reason: reason})
	return r.o.Write(result.Line{Stop: s})
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// at is in whole microseconds: the recording keeps no more.
func (r *runner) at() float64 { return float64(time.Since(r.began).Microseconds()) / 1e6 }
