package main

import (
	"context"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/cmd/tare/internal/remote"
)

// workerCommand is what tare compare -on starts on other machines: it is for no
// user, and in no help.
func workerCommand(s streams) *cli.Command {
	v := verb(s, remote.WorkerVerb, func(ctx context.Context, s streams, _ *cli.Command) error {
		return remote.Work(ctx, s.host.Facts(ctx), s.host.Tree, s.in, s.out)
	}, nil)
	v.Hidden = true
	return v
}
