package study

import (
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/machine"
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

const watchIdle = 50 * time.Millisecond

// leaveWorkerCPUs moves this process off the CPUs of the workers.
func (r *runner) leaveWorkerCPUs() error {
	return restrictTo(slices.DeleteFunc(slices.Clone(r.home), func(c int) bool { return slices.Contains(r.cpu, c) }))
}

func (r *runner) restorePlacement() {
	if r.home != nil {
		_ = restrictTo(r.home) // a restriction that worked can be undone
	}
}
