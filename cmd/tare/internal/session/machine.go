package session

import (
	"context"
	"os"
	"os/exec"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// Facts reads the facts of the machine.
func (h Host) Facts(ctx context.Context) result.Machine {
	facts, _ := lookAtMachine(ctx, h)
	return facts
}

// lookAtMachine reads the facts of the machine, and the reasons not to measure on
// it.
func lookAtMachine(ctx context.Context, host Host) (result.Machine, []finding.Finding) {
	var unfit []finding.Finding
	o := machine.Observe(host.Tree, nil)
	if settings, err := machine.GoSettings(ctx, output, os.Getenv); err == nil {
		o.Machine.Go = settings
		o.BuildFlags = strings.Fields(settings["GOFLAGS"])
	}
	for _, f := range machine.Findings(&o) {
		if f.Severity != finding.Info {
			unfit = append(unfit, f)
		}
	}
	return o.Machine, unfit
}

func output(ctx context.Context, name string, args ...string) ([]byte, error) {
	return exec.CommandContext(ctx, name, args...).Output()
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
