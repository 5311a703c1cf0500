package selftest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

// DiagnosisOptions limit the time of a diagnosis.
type DiagnosisOptions struct {
	Host session.Host
	// Quick takes one second, Long minutes. The default is ten seconds.
	Quick, Long bool
	// Lock is the action while another process measures. With
	// [machine.LockFail] the diagnosis measures nothing.
	Lock machine.LockMode
	// OnWait, if not nil, is called with the process that the diagnosis waits for.
	OnWait func(holder string)
}

// effort is the time of each part. The rest of the default's ten seconds is for
// the comparison of benchmarks with themselves.
func (o DiagnosisOptions) effort() machine.Effort {
	switch {
	case o.Quick:
		return machine.Effort{Watch: 300 * time.Millisecond, Spin: 300 * time.Millisecond}
	case o.Long:
		return machine.Effort{Watch: 10 * time.Second, Spin: 30 * time.Second}
	}
	return machine.Effort{Watch: 600 * time.Millisecond, Spin: 600 * time.Millisecond}
}

// compared is the latest end of the comparison of benchmarks with themselves,
// after the start. The spins follow it: they keep all CPUs busy, but the
// comparison needs the machine as compare finds it.
func (o DiagnosisOptions) compared() time.Duration {
	if o.Long {
		return 2 * time.Minute
	}
	return 7800 * time.Millisecond
}

// diagnoseTree reads proc and sys in a tree of another machine, and measures
// nothing.
func diagnoseTree(ctx context.Context, tree fs.FS, name string) (machine.Diagnosis, error) {
	d, err := machine.Diagnose(ctx, tree, machine.Effort{}, nil)
	d.Machine.OS, d.Machine.Arch = "", "" // the tree's are unknown
	d.Skipped = "this is the tree " + name
	return d, err
}

// Diagnose inspects and measures the machine, and predicts the smallest change
// that a comparison would show on it. A host with another root is another
// machine, which it only inspects.
func Diagnose(ctx context.Context, o DiagnosisOptions) (machine.Diagnosis, error) {
	if root := o.Host.Root; root != "" && root != "/" {
		return diagnoseTree(ctx, o.Host.Tree, root)
	}
	effort := o.effort()
	locker := machine.DefaultLocker()
	release, err := locker.Lock(ctx, o.Lock, o.OnWait)
	holder := ""
	if errors.Is(err, machine.ErrHeld) {
		// A measurement now would disturb the holder.
		holder, effort = locker.Holder(), machine.Effort{Watch: effort.Watch}
		release, err = func() {}, nil
	}
	if err != nil {
		return machine.Diagnosis{}, err
	}
	defer release()
	began := time.Now()
	predict := holder == "" && !o.Quick
	var arithmetic, allocation Prediction
	d, err := machine.Diagnose(ctx, o.Host.Tree, effort, func(seen *machine.Observation) {
		settings, err := machine.GoSettings(ctx, output, os.Getenv)
		if err == nil {
			seen.Machine.Go = settings
			seen.BuildFlags = strings.Fields(settings["GOFLAGS"])
		}
		seen.LockHolder = holder
		if predict {
			arithmetic, allocation = SmallestChange(ctx, o.Host, began.Add(o.compared()))
		}
	})
	switch {
	case err != nil:
		return d, err
	case holder != "":
		d.Skipped = "another process measures now"
	case !predict:
		d.Unpredicted = "-total 1s does not measure it"
	case ctx.Err() != nil:
		return d, context.Cause(ctx)
	case arithmetic.Unknown != nil:
		d.Unpredicted = arithmetic.Unknown.Error()
	default:
		d.SmallestChange = &arithmetic.Change
		if allocation.Unknown != nil {
			d.Unpredicted = allocation.Unknown.Error()
		} else {
			d.SmallestAllocating = &allocation.Change
		}
	}
	return d, nil
}

func output(ctx context.Context, name string, args ...string) ([]byte, error) {
	return exec.CommandContext(ctx, name, args...).Output()
}
