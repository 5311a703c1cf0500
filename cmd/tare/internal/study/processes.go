package study

import (
	"context"

	"github.com/tarebench/tare/cmd/tare/internal/worker"
)

// processes are the test processes of a study: real ones, or a fake, so that
// the order of slices, retries, budgets and stops can be tested without
// compiling.
type processes interface {
	// discover asks a binary for its benchmarks.
	discover(ctx context.Context, bin Binary, sel selection) ([]leafBenchmark, error)
	// processors are those that this process may use; none where processes
	// cannot be placed.
	processors() ([]int, error)
	// start starts workers, one a config: see [worker.StartGroup].
	start(ctx context.Context, configs []worker.Config, o worker.Options) (worker.Group, error)
}

// realProcesses runs test binaries.
type realProcesses struct{}

func (realProcesses) discover(ctx context.Context, bin Binary, sel selection) ([]leafBenchmark, error) {
	if !bin.Overlaid {
		return discoverPlain(ctx, bin, sel)
	}
	return discover(ctx, bin, sel)
}

func (realProcesses) processors() ([]int, error) { return allowed() }

func (realProcesses) start(ctx context.Context, configs []worker.Config, o worker.Options) (worker.Group, error) {
	return worker.StartGroup(ctx, configs, o)
}
