package session

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// Facts reads the facts of the machine.
func (h Host) Facts(ctx context.Context) result.Machine {
	facts, _ := lookAtMachine(ctx, h)
	return facts
}

func lookAtMachine(ctx context.Context, host Host) (result.Machine, []finding.Finding) {
	o := machine.Observe(host.Tree, nil)
	goSettings(ctx, &o)
	unfit := slices.DeleteFunc(machine.Findings(&o), func(f finding.Finding) bool { return f.Severity == finding.Info })
	return o.Machine, unfit
}

func goSettings(ctx context.Context, o *machine.Observation) {
	output := func(ctx context.Context, name string, args ...string) ([]byte, error) {
		return exec.CommandContext(ctx, name, args...).Output()
	}
	if settings, err := machine.GoSettings(ctx, output, os.Getenv); err == nil {
		o.Machine.Go = settings
		o.BuildFlags = strings.Fields(settings["GOFLAGS"])
	}
}

// Diagnose inspects and measures the machine, in about a total time. A host with
// another root is another machine, which it only inspects. While another process
// measures, it only observes.
func (h Host) Diagnose(ctx context.Context, total time.Duration) (machine.Diagnosis, error) {
	if h.Root != "" && h.Root != "/" {
		d, err := machine.Diagnose(ctx, h.Tree, machine.Effort{}, nil)
		d.Machine.OS, d.Machine.Arch = "", "" // the tree's are unknown
		d.Skipped = "this is the tree " + h.Root
		return d, err
	}
	effort := machine.Effort{Watch: total * 3 / 10, Spin: total * 3 / 10} // the clock and the go command take the rest
	locker, holder := machine.DefaultLocker(), ""
	release, err := locker.Lock(ctx, machine.LockFail, nil)
	switch {
	case errors.Is(err, machine.ErrHeld):
		holder, effort.Spin = locker.Holder(), 0 // a measurement now would disturb the holder
	case err != nil:
		return machine.Diagnosis{}, err
	default:
		defer release()
	}
	d, err := machine.Diagnose(ctx, h.Tree, effort, func(o *machine.Observation) {
		goSettings(ctx, o)
		o.LockHolder = holder
	})
	if holder != "" {
		d.Skipped = "another process measures now"
	}
	return d, err
}

// onThisMachine splits the values of -cpu. Values above the CPUs of the machine
// show no speed-up, so they are removed from a list. A single value stays.
func onThisMachine(procs []int, cpus int) (measured, left []int) {
	for _, n := range procs {
		if n > cpus && len(procs) > 1 {
			left = append(left, n)
		} else {
			measured = append(measured, n)
		}
	}
	if len(measured) == 0 {
		return procs, nil // nothing remains to compare with
	}
	return measured, left
}
