// Package process starts commands that are killed with their children when tare
// ends.
//
// [Command] prepares a command. The caller runs it, or starts it and
// communicates with it. [Ended] interprets its error, and [Kill] ends the
// processes that it left behind. [Foreground] runs a command of the user, which
// the user ends. A command is the head of a process group. The end of its
// context kills the whole group. On Linux the kernel also kills the command
// when tare is killed without a chance to clean up (kill -9).
//
// [Git] and [Exec] run short commands whose output is data.
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

// drain is how long children of a command may keep its output open after the
// command's end.
const drain = 2 * time.Second

// Command is exec.CommandContext in its own process group, which ends with ctx.
// Its WaitDelay is short. The caller may raise it.
func Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return Kill(cmd) }
	cmd.WaitDelay = drain
	ownGroup(cmd)
	return cmd
}

// WriteProgram runs write, which writes a program, while no process starts. A
// process that starts while a file is open for writing keeps it open until exec,
// and the file cannot be run meanwhile ("text file busy").
func WriteProgram(write func() error) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return write()
}

// Ended takes the error of Run or Wait. If a child kept the command's output
// open beyond the drain, the exit status of the command counts.
func Ended(err error) error {
	if errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	return err
}

// Kill kills a command that was started, and all of its group, even if the
// command itself has ended.
func Kill(cmd *exec.Cmd) error {
	if cmd.Process == nil {
		return nil
	}
	return killGroup(cmd)
}

// Foreground starts a command of the user with start and returns its exit code.
// If a signal ended the command, the code is 128 plus the signal's number. The
// end of its context interrupts the command, which then has the time grace to
// end.
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
