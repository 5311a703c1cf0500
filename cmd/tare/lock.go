package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/internal/hostlock"
	"github.com/tarebench/tare/internal/process"
)

func lockCommand(s streams) *cli.Command {
	return &cli.Command{
		Name: "lock",
		Flags: []cli.Flag{
			lockFlag("wait"),
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

// runCommand runs command with our streams and ends with its exit code.
func runCommand(ctx context.Context, s streams, command, env []string, start func(*exec.Cmd) error) error {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.in, s.out, s.err
	cmd.Env = append(os.Environ(), env...)
	code, err := process.Foreground(cmd, 10*time.Second, start)
	if err == nil && code != exitDone {
		err = &exitError{code: code}
	}
	return err
}
