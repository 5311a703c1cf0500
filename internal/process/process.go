// Package process starts commands that end with us.
//
// The pipeline: [Command] prepares one; the caller runs it, or starts it and
// speaks with it; [Ended] reads how it ended; [Kill] ends what it left behind.
// A command is the head of a process group. The end of its context kills the
// whole group, and on Linux the kernel kills the command when we are killed
// without a chance to (kill -9).
package process

import (
	"context"
	"errors"
	"os/exec"
	"time"
)

// Command is exec.CommandContext in a process group of its own, which ends
// with ctx. What the command has started may hold its output open for the time
// of drain after its end; then nobody waits for more.
func Command(ctx context.Context, drain time.Duration, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return Kill(cmd) }
	cmd.WaitDelay = drain
	ownGroup(cmd)
	return cmd
}

// Ended takes the error of Run or Wait. A command whose output a child of it
// held open beyond the drain has ended well, as its exit status says.
func Ended(err error) error {
	if errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	return err
}

// Kill kills a command that was started, and all of its group, also when the
// command itself has ended.
func Kill(cmd *exec.Cmd) error {
	if cmd.Process == nil {
		return nil
	}
	return killGroup(cmd)
}
