package study

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// Options are the inputs of a study.
type Options struct {
	// Study is the plan, with the resolved variants.
	result.Study
	// Sources build the variants, in the order of Study.Variants.
	Sources []Source
	// Packages are the import paths to measure.
	Packages []string
	// Scratch is a directory for temporary files. Without it, workers run the
	// files of the sources.
	Scratch string
	// Functions are the benchmark functions of all packages. A Part of the plan
	// picks some.
	Functions []Function
	// Code, if not nil, finds benchmarks that need no measurement.
	Code Code
	// Tree, if not nil, has the counters of the machine, which show the
	// disturbances of a block.
	Tree fs.FS

	// Write appends a line to the recording.
	Write func(result.Line) error
	// Watcher decides when a benchmark is done, and receives the events. Without
	// it, all blocks are measured.
	Watcher Watcher
	// Machines, if not nil, measures the blocks on other machines. Binaries
	// are built and their benchmarks listed here.
	Machines Machines
	// Resume is an earlier recording of the same study to resume.
	Resume *result.Recording
	// Begun is when the total of the plan begins.
	Begun time.Time
	// Rank orders the benchmarks for a total. Benchmarks with a lower rank get
	// their first look earlier, and benchmarks with equal rank in random order.
	// Keys have no Procs. A key without a name is a package, and packages are
	// built in this order. Other keys have rank 0.
	Rank map[result.Key]int
}

// Code compares the machine code of the variants.
type Code interface {
	// Same reports whether a benchmark in all variants runs the same machine code
	// in all of them. It is then not measured, or measured late if the plan
	// measures all.
	Same(b result.Benchmark) bool
	// FileLog names a file in which package os logs the files and environment
	// variables that a variant's benchmarks use at discovery. If a process ends
	// early, the next ones append a number.
	FileLog(pkg string, variant int) string
}

// Event is an event of a study.
type Event struct {
	// Phase is "building", "discovering", "planned", "linking", "measuring" or
	// "finished" (with Reason).
	Phase string
	// Done counts the benchmarks that are finished or need no measurement. Total
	// is 0 while unknown.
	Done, Total    int
	Benchmark      result.Benchmark
	Rounds, Blocks int
	Reason         string
	// Left is the expected remaining time of the study. 0 is unknown.
	Left time.Duration
	// Reach is how many benchmarks a total reaches, or zero without a total.
	Reach result.Reach
}

// Watcher follows a study.
type Watcher interface {
	// Observe gets a benchmark with all its blocks after each block. The study
	// has the parameters of the judgment, including its family.
	Observe(study result.Study, b result.Benchmark) Decision
	// Event reports progress. It must not block.
	Event(Event)
}

// Decision is a [Watcher]'s decision on a benchmark so far.
type Decision struct {
	// Done ends the benchmark, for a Reason: see [result.Stop].
	Done   bool
	Reason string
	// Needed is the expected number of blocks for a verdict, or 0 if unknown.
	// Alone is true if the benchmark differs when it is judged alone, but not
	// after the adjustment for the run.
	Needed int
	Alone  bool
}

type runner struct {
	// mu is held by who changes the recording or a benchmark.
	mu        sync.Mutex
	o         Options
	processes processes
	draws     draws
	size      sizing
	began     time.Time
	benches   []*bench
	// design is the plan of looks, once the family is known.
	design judge.Design
	lanes  *linkLimiter
	// cpu are the CPUs of workers that use one at a time, and home all CPUs of
	// the study. Both are empty if workers cannot be placed.
	cpu, home []int
	// recorded are the findings on record.
	recorded []finding.Finding
	// sameCode counts the benchmarks that need no measurement. No verdict on them
	// can be wrong by chance.
	sameCode  int
	disturbed disturbances
	// inSlices counts the time of the current block spent inside slices.
	inSlices time.Duration
	events   sync.Mutex
	finished int // benchmarks, for events
	// measuring is when the first block could begin.
	measuring time.Time
	machines  []string // other machines that have sent a block
	// gathered is closed when the first package with benchmarks to measure is built.
	gathered chan struct{}
	first    sync.Once
}

func (r *runner) variants() int { return len(r.o.Study.Variants) }

// event reports e to the watcher, one at a time.
func (r *runner) event(e Event) {
	if r.o.Watcher == nil {
		return
	}
	r.events.Lock()
	defer r.events.Unlock()
	e.Total = len(r.benches)
	e.Done = r.finished
	r.o.Watcher.Event(e)
}

// ErrNothing is returned when no benchmark was measured.
var ErrNothing = errors.New("no benchmark was measured")

// The timed length of a slice. In lockstep it is long compared with a clock
// read (some 25 ns) and a change of the turn (some 4 µs), and short compared
// with other work of the machine. Most of many short slices are not
// interrupted, and the slices of one round share the speed of the CPU
// (docs/decisions/slices.md). A variant alone has longer ones.
const (
	lockstepSlice = 100 * time.Microsecond
	lockstepMost  = 120 // rounds of a block
	aloneSlice    = time.Millisecond
	aloneMost     = 300
	// The number of blocks that should fit into the budget. Of one variant, all
	// of them should fit.
	lockstepBlocks = 40
	// The longest block if all benchmarks share a total, for variants in lockstep
	// and for one alone. It is the length with the usual budgets.
	lockstepBlock = 250 * time.Millisecond
	aloneBlock    = 500 * time.Millisecond
)

// Run carries out a study. It discovers all benchmarks and writes the study
// line, with the number of comparisons. Then it measures, and always writes
// an end line last. If ctx ends the study early, Run returns the context's
// error.
func Run(ctx context.Context, o Options) error { return run(ctx, o, realProcesses{tree: o.Tree}) }

func run(ctx context.Context, o Options, p processes) error {
	r := newRunner(o, p)
	if o.Resume != nil {
		r.restore(o.Resume)
	}
	err := r.run(ctx)
	if err != nil && ctx.Err() == nil {
		return err
	}
	for _, f := range r.disturbed.findings() {
		if werr := r.find(f); werr != nil {
			return werr
		}
	}
	end := &result.End{Seconds: time.Since(r.began).Seconds(), Interrupted: ctx.Err() != nil}
	if werr := o.Write(result.Line{End: end}); werr != nil {
		return werr
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if !slices.ContainsFunc(r.benches, func(b *bench) bool { return len(b.Blocks) > 0 }) {
		return ErrNothing
	}
	return nil
}

// newRunner makes the runner of a study, or of the blocks of a study that another
// machine plans.
func newRunner(o Options, p processes) *runner {
	return &runner{
		o: o, processes: p, began: time.Now(), gathered: make(chan struct{}), lanes: newLinkLimiter(len(o.Sources)), size: sizingOf(o),
		draws: draws{Seed: o.Study.Seed, FuncOrderSeed: o.Study.FuncOrderSeed, Variants: len(o.Study.Variants)},
	}
}

// sizingOf divides the budget. Slices get four fifths of a block's wall time.
func sizingOf(o Options) sizing {
	z := sizing{slice: lockstepSlice, rounds: lockstepMost, fixed: o.Iterations}
	variants, blocks, longest := len(o.Study.Variants), lockstepBlocks, lockstepBlock
	if variants == 1 {
		z.slice, z.rounds, blocks, longest = aloneSlice, aloneMost, max(1, o.Study.MaxBlocks), aloneBlock
	}
	z.block = seconds(o.BlockSeconds)
	if z.block == 0 {
		plan := o.Study
		if o.Resume != nil {
			plan = o.Resume.Study // a larger budget adds blocks, not longer ones
		}
		wall := seconds(plan.BudgetSeconds) / time.Duration(blocks)
		if plan.TotalSeconds > 0 {
			wall = blockOfTotal(plan, wall, longest)
		}
		z.block = max(50*time.Millisecond, wall*4/5/time.Duration(variants))
	}
	z.slice = min(z.slice, max(z.block/8, 50*time.Microsecond))
	return z
}

func (r *runner) run(ctx context.Context) error {
	linking, cancel := r.withinTotal(ctx)
	defer cancel()
	building, cancel := context.WithCancel(linking)
	defer cancel()
	if r.o.TotalSeconds > 0 {
		go r.endBuilds(building, cancel)
	}
	all := r.gatherAll(building, linking)
	defer func() {
		for _, g := range all {
			g.links.close()
		}
	}()
	benches, err := r.announceAll(ctx, all)
	if err != nil {
		return err
	}
	if r.o.Machines == nil {
		if err := r.place(); err != nil {
			return err
		}
		defer r.restorePlacement()
	}
	r.size, r.design = sizingOf(r.o), judge.DesignOf(r.o.Study)
	r.measuring = time.Now()
	if r.o.Timed() {
		r.event(r.planned())
	}
	if r.o.Machines != nil {
		return r.measureAll(ctx, slices.Concat(benches...))
	}
	if !r.o.Timed() {
		return r.countAll(ctx, slices.Concat(benches...))
	}
	if r.o.TotalSeconds > 0 {
		return r.byNeed(ctx, slices.Concat(benches...))
	}
	for _, of := range benches {
		if err := r.measureAll(ctx, of); err != nil {
			return err
		}
	}
	return nil
}

// announceAll records the benchmarks of all packages, and the study with
// their number as its family.
func (r *runner) announceAll(ctx context.Context, all []*packageBenchmarks) (benches [][]*bench, err error) {
	r.chooseFuncOrders(all)
	for _, g := range all {
		if r.o.TotalSeconds > 0 && ctx.Err() == nil && (errors.Is(g.err, context.Canceled) || errors.Is(g.err, context.DeadlineExceeded)) {
			g.unreached()
		}
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
		if werr := r.findOnce(f, f.Same); werr != nil {
			return nil, werr
		}
	}
	// The study that is resumed may have ended before it knew all benchmarks.
	family := r.o.wholeFamily((len(r.benches) - r.sameCode) * max(1, r.variants()-1))
	r.o.Study.Family = max(r.o.Study.Family, family)
	if r.o.Resume == nil {
		if werr := r.o.Write(result.Line{Study: &r.o.Study}); werr != nil {
			return nil, werr
		}
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return benches, err
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// elapsed is in whole microseconds, the precision of the recording.
func (r *runner) elapsed() float64 { return float64(time.Since(r.began).Microseconds()) / 1e6 }
