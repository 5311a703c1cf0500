package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/internal/hostlock"
)

func lockCommand(s streams) *cli.Command {
	return &cli.Command{
		Name:      "lock",
		Usage:     "run a command alone on this machine",
		ArgsUsage: "-- COMMAND",
		Description: `One measuring process per machine, for all users: run and compare take the
same lock, and a perflock daemon is asked too where one runs. The kernel frees
the lock when both lock and its command have ended, however they end. lock
exits with the command's own code, or with 128 and the number of the signal
that ended it.

TARE_LOCK names the lock file; containers of one machine share a lock when it
is mounted in all of them.

Example: a benchmark of any kind, alone on this machine:

   tare lock -- go test -bench . ./...

Example: give up when somebody measures now:

   tare lock -lock=fail -- make bench`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "lock", Value: "wait", Usage: "while another process measures: wait, fail or off"},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			command := c.Args().Slice()
			if len(command) == 0 {
				return usagef("lock runs a command: tare lock -- COMMAND")
			}
			mode, err := readLockMode(c)
			if err != nil {
				return err
			}
			if mode != hostlock.Off && filepath.Base(command[0]) == "perflock" {
				return usagef("perflock would wait for the lock that tare lock holds already: leave it out")
			}
			locker := hostlock.Default()
			held, err := locker.Hold(ctx, mode, onWait(s))
			if err != nil {
				return err
			}
			defer held.Release()
			var env []string
			if mode != hostlock.Off {
				env = []string{locker.HeldEnv()}
			}
			return runCommand(ctx, s, command, env, func(cmd *exec.Cmd) error {
				closeCopies, err := held.Pass(cmd)
				defer closeCopies()
				if err != nil {
					return err
				}
				return cmd.Start()
			})
		},
	}
}

// readLockMode checks the flag -lock.
func readLockMode(c *cli.Command) (hostlock.Mode, error) {
	mode := hostlock.Mode(c.String("lock"))
	switch mode {
	case hostlock.Wait, hostlock.Fail, hostlock.Off:
		return mode, nil
	}
	return "", usagef("flag -lock: %q is none of wait, fail, off", mode)
}

// runCommand runs command with our streams and ends with its exit code, which is
// 128 and the number of the signal when a signal ended it. A signal that ends us
// is passed on, and the command gets time to end well.
func runCommand(ctx context.Context, s streams, command, env []string, start func(*exec.Cmd) error) error {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.in, s.out, s.err
	cmd.Env = append(os.Environ(), env...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	if err := start(cmd); err != nil {
		return fmt.Errorf("run %s: %w", command[0], err)
	}
	err := cmd.Wait()
	if cmd.ProcessState == nil {
		return fmt.Errorf("run %s: %w", command[0], err)
	}
	code := cmd.ProcessState.ExitCode()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		code = 128 + int(status.Signal())
	}
	if code == exitDone {
		return nil
	}
	return &exitError{code: code}
}
