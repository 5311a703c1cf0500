package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// Machines measures blocks on other machines, one on each at a time. If a
// machine does not finish a job, another machine gets it. Each job has one
// result.
type Machines interface {
	Measure(context.Context, Job) (Measured, error)
}

// Job is a block for another machine to measure.
type Job struct {
	// Study is the head of the study, with its plan. Benchmark is the
	// benchmark without blocks.
	Study     result.Study
	Benchmark result.Benchmark
	// Siblings are the benchmarks before it that share its function.
	Siblings []string
	// Block is the number of the block. Linked is true if the binaries were
	// linked for it.
	Block  int
	Linked bool
	// Binaries links the binaries that the block needs, by variant. It is
	// called when a machine is free.
	Binaries func(context.Context) (map[int]Binary, error) `json:"-"`
}

// Measured is a machine's result of a job.
type Measured struct {
	// Machine is the machine, with a unique name.
	Machine result.Machine
	// Lines are findings, plans and the block, in the order of arrival.
	// They refer to benchmark 0 and machine 0.
	Lines []result.Line
	// Failed is the reason why the benchmark ends here, or nil if it continues.
	Failed *Failed
}

// check rejects a result that does not answer the job. The machine may run
// another program.
func (m Measured) check(j Job) error {
	variants := len(j.Study.Variants)
	blocks := 0
	for _, l := range m.Lines {
		b := l.Block
		if b == nil {
			continue
		}
		blocks++
		ok := b.Block == j.Block && b.First >= 0 && b.First < variants && len(b.FuncOrders) <= variants && len(b.Processes) <= variants
		timed := b.Timed()
		ok = ok && (len(timed) > 0 || !j.Study.Timed() || !b.Good())
		for _, round := range timed {
			ok = ok && len(round.Slices) == variants && !slices.ContainsFunc(round.Order, func(v int) bool { return v < 0 || v >= variants })
		}
		if !ok {
			return fmt.Errorf("read block %d of %s: %s sent another block", j.Block, j.Benchmark.Name, m.Machine.Name)
		}
	}
	if f := m.Failed; f != nil && (f.Variant < 0 || f.Variant >= variants) || f == nil && blocks != 1 {
		return fmt.Errorf("read block %d of %s: %s sent no block", j.Block, j.Benchmark.Name, m.Machine.Name)
	}
	return nil
}

// elsewhere measures the blocks of b up to its next look on other machines, all at
// the same time. It ends when all have arrived, so that no verdict depends on the
// speed of a machine. It gives up the lock while it waits.
func (r *runner) elsewhere(ctx context.Context, b *bench) error {
	numbers := r.numbersToLook(b)
	jobs, errs := make([]Job, len(numbers)), make([]error, len(numbers)) // a job does not contain the kept data of another block
	for i, k := range numbers {
		jobs[i] = r.job(b, k)
	}
	r.mu.Unlock()
	var wg sync.WaitGroup
	for i := range jobs {
		wg.Go(func() { errs[i] = r.send(ctx, b, jobs[i]) })
	}
	wg.Wait()
	r.mu.Lock()
	var failed error
	for _, err := range errs {
		if f := (*Failed)(nil); err != nil && !errors.As(err, &f) {
			return err
		}
		failed = cmp.Or(failed, err)
	}
	return failed
}

// numbersToLook are the numbers of the blocks to the next look that fit into the
// budget.
func (r *runner) numbersToLook(b *bench) (numbers []int) {
	good := b.GoodBlocks()
	want := min(min(r.design.Next(good), r.most())-good, r.afford(b))
	for k := 0; len(numbers) < want; k++ {
		if !slices.ContainsFunc(b.Blocks, func(x result.Block) bool { return x.Block == k }) {
			numbers = append(numbers, k)
		}
	}
	return numbers
}

// send has a block measured, and keeps it.
func (r *runner) send(ctx context.Context, b *bench, j Job) error {
	m, err := r.o.Machines.Measure(ctx, j)
	if err == nil {
		err = m.check(j)
	}
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.keep(b, m); err != nil {
		return err
	}
	r.event(Event{Phase: "measuring", Benchmark: b.Benchmark, Rounds: b.rounds(), Blocks: len(b.Blocks), Left: r.forecast() / time.Duration(len(r.machines))})
	if m.Failed != nil {
		return m.Failed
	}
	return nil
}

func (r *runner) job(b *bench, k int) Job {
	j := Job{
		Study: r.o.Study, Benchmark: b.Benchmark, Siblings: b.siblings, Block: k, Linked: b.links.varied,
		Binaries: func(ctx context.Context) (map[int]Binary, error) { return b.links.binaries(ctx, k) },
	}
	j.Study.Machine = nil
	j.Benchmark.Blocks, j.Benchmark.Pilot = nil, nil
	return j
}

func (r *runner) keep(b *bench, m Measured) error {
	machine := slices.Index(r.machines, m.Machine.Name)
	if machine < 0 {
		machine = len(r.machines)
		r.machines = append(r.machines, m.Machine.Name)
		if err := r.o.Write(result.Line{Machine: &m.Machine}); err != nil {
			return err
		}
	}
	for _, l := range m.Lines {
		switch {
		case l.Finding != nil:
			if err := r.once(*l.Finding); err != nil {
				return err
			}
			continue
		case l.Pilot != nil:
			l.Pilot.Benchmark = b.index
			b.Pilot = l.Pilot
		case l.Block != nil:
			l.Block.Benchmark, l.Block.Machine = b.index, machine
			i, found := slices.BinarySearchFunc(b.Blocks, l.Block.Block, func(x result.Block, number int) int { return cmp.Compare(x.Block, number) })
			if found {
				continue // nothing counts twice
			}
			b.Blocks = slices.Insert(b.Blocks, i, *l.Block)
			b.spent += seconds(l.Block.Seconds)
			b.wall = b.spent
		default:
			continue
		}
		if err := r.o.Write(l); err != nil {
			return err
		}
	}
	return nil
}

// BlockServer measures jobs on this machine for a study that another machine runs. It
// keeps the state of a benchmark between jobs, and is not for concurrent use.
type BlockServer struct {
	processes processes
	r         *runner
	benches   map[result.Key]*bench
	lines     []result.Line
}

// NewBlockServer makes a server. tree is described in [Options].
func NewBlockServer(tree fs.FS) *BlockServer {
	return &BlockServer{processes: realProcesses{tree: tree}, benches: make(map[result.Key]*bench)}
}

// Measure carries out a job with binaries on this machine.
func (h *BlockServer) Measure(ctx context.Context, j Job, bins map[int]Binary) (m Measured, err error) {
	if h.r == nil {
		if err := h.begin(j); err != nil {
			return m, err
		}
	}
	b := h.benches[j.Benchmark.Key]
	if b == nil {
		b = &bench{Benchmark: j.Benchmark, siblings: j.Siblings, pilot: result.Pilot{Alone: j.Study.Alone}}
		h.benches[j.Benchmark.Key] = b
	}
	plan := h.r.draws
	plan.FuncOrders = j.Benchmark.FuncOrders
	b.links = &links{varied: j.Linked, draws: plan, base: bins, made: make(map[int]*linkSet)}
	if j.Linked {
		there := make(chan struct{})
		close(there)
		b.links.made[plan.funcOrder(j.Block)] = &linkSet{done: there, bins: bins}
	}
	h.lines = nil
	err = h.r.block(ctx, b, j.Block, j.Block)
	b.links = nil // the binaries may be removed
	if errors.As(err, &m.Failed) {
		err = nil
	}
	m.Lines = h.lines
	return m, err
}

func (h *BlockServer) begin(j Job) error {
	r := newRunner(Options{
		Study: j.Study,
		Write: func(l result.Line) error { h.lines = append(h.lines, l); return nil },
	}, h.processes)
	if err := r.place(); err != nil {
		return err
	}
	h.r = r
	return nil
}
