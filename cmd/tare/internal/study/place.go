package study

import (
	"context"
	"os"
	"slices"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/worker"
)

// place chooses the processor of workers that use one at a time, and keeps
// this process and what it starts (links above all) off it. Where a process
// cannot be placed, there is one processor only, or the variants differ in
// GOMAXPROCS, all stays as it is.
func (r *runner) place() error {
	if r.comparesProcs() {
		return nil
	}
	home, err := r.processes.processors()
	if err != nil || len(home) < 2 {
		return err
	}
	tree := os.DirFS("/")
	before := machine.Processors(tree)
	time.Sleep(watchIdle)
	cpu := []int{machine.Quietest(home, before, machine.Processors(tree))}
	r.home, r.cpu = home, cpu
	r.lanes.place(cpu)
	return r.leaveWorkerCPUs()
}

// watchIdle is how long the processors are watched to see which is idle.
const watchIdle = 50 * time.Millisecond

// leaveWorkerCPUs moves this process off the processors of the workers, if any other
// is left.
func (r *runner) leaveWorkerCPUs() error {
	others := slices.DeleteFunc(slices.Clone(r.home), func(c int) bool { return slices.Contains(r.cpu, c) })
	if len(others) == 0 {
		return nil
	}
	return restrictTo(others)
}

// restorePlacement takes the placement back.
func (r *runner) restorePlacement() {
	if r.home != nil {
		_ = restrictTo(r.home) // what could be restricted can be widened again
	}
}

// parallelShare is how many processors a benchmark must use at the same time
// to count as one that uses several.
const parallelShare = 1.2

// parallel reports whether the benchmark kept more than one processor busy in
// slices of one side, the collector not counted, which works with any
// benchmark.
func (l *workerSet) parallel(ctx context.Context) (bool, error) {
	if l.b.Procs == 1 {
		return false, nil
	}
	for _, v := range l.variants {
		n, wall := l.b.plan.Iterations, time.Duration(0)
		used := 0.0
		for range 16 {
			rounds, err := l.take(ctx, []roundPlan{{order: []int{v}, n: n, reading: worker.Usage}})
			if err != nil {
				return false, err
			}
			s := rounds[0].Slices[v]
			wall += time.Duration(s.Span)
			used += s.User + s.System - s.GCTime
			if wall > parallelTime {
				break
			}
			n = max(n, min(4*n, int64(float64(n)*float64(parallelTime)/max(1, s.Span))))
		}
		if used > parallelShare*float64(wall) {
			return true, nil
		}
	}
	return false, nil
}

// parallelTime is how long a side runs to see whether it uses several
// processors: the system counts processor time in steps of up to 4 ms.
const parallelTime = 10 * time.Millisecond
