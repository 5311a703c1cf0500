package main

import (
	"context"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/cmd/tare/internal/session"
)

// workerCommand is what tare compare -on starts on other machines: it is for no
// user, and in no help.
func workerCommand(s streams) *cli.Command {
	v := verb(s, session.WorkerVerb, func(ctx context.Context, s streams, _ *cli.Command) error {
		return session.Work(ctx, s.host, s.in, s.out)
	}, nil)
	v.Hidden = true
	return v
}
