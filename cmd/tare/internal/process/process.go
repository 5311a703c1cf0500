// Package process starts commands that are killed with their children when we
// end.
//
// The pipeline: [Command] prepares one; the caller runs it, or starts it and
// communicates with it; [Ended] reads how it ended; [Kill] ends what it left behind.
// [Foreground] runs a command of the user's, which is his to end.
// A command is the head of a process group. The end of its context kills the
// whole group, and on Linux the kernel kills the command when we are killed
// without a chance to (kill -9).
package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// drain is how long what a command has started may hold its output open after
// the command's end; then nobody waits for more.
const drain = 2 * time.Second

// Command is exec.CommandContext in a process group of its own, which ends
// with ctx. Its WaitDelay is short, and may be set to more.
func Command(ctx context.Context, name string, args ...string) *exec.Cmd {
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

// Foreground starts a command of the user's with start and returns its exit
// code, which is 128 and the number of the signal when a signal ended it. The
// end of its context interrupts it, and grace is the time that it has to end
// well.
func Foreground(cmd *exec.Cmd, grace time.Duration, start func(*exec.Cmd) error) (code int, err error) {
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = grace
	if err := start(cmd); err != nil {
		return 0, fmt.Errorf("run %s: %w", cmd.Args[0], err)
	}
	err = cmd.Wait()
	if cmd.ProcessState == nil {
		return 0, fmt.Errorf("run %s: %w", cmd.Args[0], err)
	}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal()), nil
	}
	return cmd.ProcessState.ExitCode(), nil
}
