package study

import (
	"context"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/worker"
	"github.com/tarebench/tare/internal/finding"
)

// place chooses the CPU of workers that use one at a time. It keeps this
// process and its children, such as links, off that CPU. Nothing changes if there
// is only one CPU, or if the variants differ in GOMAXPROCS. If a process cannot
// be placed, a finding says so.
func (r *runner) place() error {
	if r.comparesProcs() {
		return nil
	}
	home, err := r.processes.processors()
	switch {
	case err != nil:
		return err
	case len(home) == 0 && runtime.NumCPU() > 1:
		return r.find(catalog.NotPlaced.Of("CPUs", finding.Text("why", "this system does not place processes")))
	case len(home) < 2:
		return nil
	}
	tree := os.DirFS("/")
	before := machine.Snapshot(tree)
	time.Sleep(watchIdle)
	cpu := []int{machine.Quietest(tree, home, before, machine.Snapshot(tree))}
	r.home, r.cpu = home, cpu
	if err := r.leaveWorkerCPUs(); err != nil {
		r.home, r.cpu = nil, nil
		return r.find(catalog.NotPlaced.Of("CPUs", finding.Text("why", err.Error())))
	}
	r.lanes.place(cpu)
	return nil
}

// watchIdle is the time to watch the CPUs for an idle one.
const watchIdle = 50 * time.Millisecond

// leaveWorkerCPUs moves this process off the CPUs of the workers, if there are
// others.
func (r *runner) leaveWorkerCPUs() error {
	others := slices.DeleteFunc(slices.Clone(r.home), func(c int) bool { return slices.Contains(r.cpu, c) })
	if len(others) == 0 {
		return nil
	}
	return restrictTo(others)
}

// restorePlacement undoes the placement.
func (r *runner) restorePlacement() {
	if r.home != nil {
		_ = restrictTo(r.home) // a restriction that worked can be undone
	}
}

// parallelShare is the number of CPUs from which a benchmark counts as
// parallel.
const parallelShare = 1.2

// parallel reports whether the benchmark kept more than one CPU busy in slices
// of one variant. The collector, which runs with any benchmark, does not
// count.
func (l *workerSet) parallel(ctx context.Context) (bool, error) {
	if l.b.Procs == 1 {
		return false, nil
	}
	if direct, _ := l.group.Direct(); !direct {
		return true, nil // it is not known
	}
	for _, v := range l.variants {
		n, wall := l.b.pilot.Iterations, 0.0
		before := l.used[l.sides[v]]
		for range 16 {
			rounds, err := l.take(ctx, []roundPlan{{order: []int{v}, n: n, reading: worker.Unread}})
			if err != nil {
				return false, err
			}
			s := rounds[0].Slices[v]
			wall += s.Span + s.Settle
			if wall > float64(parallelTime) {
				break
			}
			n = max(n, min(4*n, int64(float64(n)*float64(parallelTime)/max(1, s.Span))))
		}
		u := l.used[l.sides[v]]
		if used := u.User - before.User + u.System - before.System - (u.GCTime - before.GCTime); used > parallelShare*wall {
			return true, nil
		}
	}
	return false, nil
}

// parallelTime is how long a variant runs to show whether it uses several
// CPUs. The system counts CPU time in steps of up to 4 ms.
const parallelTime = 10 * time.Millisecond
