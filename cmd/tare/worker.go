package main

import (
	"context"
	"errors"
	"runtime"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/internal/launcher"
	"github.com/tarebench/tare/internal/session"
)

// workerCommand is what tare compare -on starts on other machines: it is for no
// user, and in no help.
func workerCommand(s streams) *cli.Command {
	return &cli.Command{
		Name:   session.WorkerVerb,
		Hidden: true,
		Action: func(ctx context.Context, _ *cli.Command) error { return session.Work(ctx, s.host, s.in, s.out) },
	}
}

// checkOn refuses what cannot be measured on other machines, before anything is
// built.
func checkOn(c *cli.Command, o session.Spec) error {
	if len(o.On) == 0 {
		return nil
	}
	for _, text := range o.On {
		if _, err := launcher.Split(text); err != nil {
			return usagef("flag -on: %v", err)
		}
	}
	switch {
	case runtime.GOOS == "windows":
		return errors.New("flag -on: it starts a shell on the other machine and sends it this program, which windows cannot do: measure here, or use tare shard")
	case o.Total > 0:
		return usagef("flags -on and -total: a total is spent on one machine: give -budget, or leave -on out")
	case o.Counters:
		return usagef("flags -on and -counters: counters are read on one machine: leave one of them out")
	case c.IsSet("lock"):
		return usagef("flags -on and -lock: other machines wait for whoever measures there: leave -lock out")
	}
	return nil
}
