package main

import (
	"context"
	"os/exec"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/process"
)

func lockCommand(s streams) *command {
	return verb(s, "lock", runLock, flags("lock"))
}

func runLock(ctx context.Context, s streams, c *command) error {
	command := c.args
	if len(command) == 0 {
		return usagef("lock runs a command: tare lock -- COMMAND")
	}
	mode, err := readFlag(c, "lock", machine.ParseLockMode)
	if err != nil {
		return err
	}
	held, err := machine.DefaultLocker().Hold(ctx, mode, onWait(s))
	if err != nil {
		return err
	}
	defer held.Release()
	err = runCommand(ctx, s, command, held.Start)
	if lost := held.Lost(); lost != nil {
		s.say("tare: %v", lost)
	}
	return err
}

func onWait(s streams) func(holder string) {
	return func(holder string) { s.say("tare: waiting for %s", holder) }
}

func runCommand(ctx context.Context, s streams, command []string, start func(*exec.Cmd) error) error {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.in, s.out, s.err
	code, err := process.Foreground(cmd, 10*time.Second, start)
	if err == nil && code != exitDone {
		err = &exitError{code: code}
	}
	return err
}
