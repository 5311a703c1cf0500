package study

import (
	"context"
	"io/fs"
	"math"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/worker"
	"github.com/tarebench/tare/internal/finding"
)

// processes are the test processes of a study. A fake tests the order of
// slices, retries, budgets and stops without compiling.
type processes interface {
	// discover lists the benchmarks of a binary.
	discover(ctx context.Context, bin Binary, sel selection) ([]leafBenchmark, error)
	// processors are the CPUs that this process may use, or none if processes
	// cannot be placed.
	processors() ([]int, error)
	// bracket observes the machine before a block. The returned function observes
	// it after the block. It reports the disturbances, and the reason if the block
	// cannot be used.
	bracket() func() (unreadable string, disturbed []finding.Finding)
	// watchOthers observes other programs. The returned function gives the CPU time that
	// they used since, and that all CPUs had, in seconds: NaN if it is not known.
	watchOthers() func() (used, of float64)
	// start starts one worker per config: see [worker.StartGroup].
	start(ctx context.Context, configs []worker.Config, o worker.Options) (worker.Group, error)
}

type realProcesses struct {
	tree fs.FS // shows the machine, may be nil
}

func (realProcesses) discover(ctx context.Context, bin Binary, sel selection) ([]leafBenchmark, error) {
	if bin.Command != nil {
		return dryRunOf(ctx, bin, sel)
	}
	if !bin.Overlaid {
		return discoverPlain(ctx, bin, sel)
	}
	return discover(ctx, bin, sel)
}

func (realProcesses) processors() ([]int, error) { return process.Processors() }

func (p realProcesses) bracket() func() (string, []finding.Finding) {
	if p.tree == nil {
		return func() (string, []finding.Finding) { return "", nil }
	}
	before := machine.Snapshot(p.tree)
	return func() (string, []finding.Finding) { return machine.Snapshot(p.tree).Since(before) }
}

func (p realProcesses) watchOthers() func() (used, of float64) {
	if p.tree == nil {
		return func() (used, of float64) { return math.NaN(), 0 }
	}
	before, began := machine.Snapshot(p.tree), time.Now()
	return func() (used, of float64) { return machine.Snapshot(p.tree).Others(before, time.Since(began)) }
}

func (realProcesses) start(ctx context.Context, configs []worker.Config, o worker.Options) (worker.Group, error) {
	return worker.StartGroup(ctx, configs, o)
}
