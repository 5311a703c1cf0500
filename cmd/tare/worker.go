package main

import (
	"context"

	"github.com/tarebench/tare/cmd/tare/internal/remote"
)

// workerCommand is what tare compare -on starts on other machines: it is for no
// user, and in no help.
func workerCommand(s streams) *command {
	v := verb(s, remote.WorkerVerb, func(ctx context.Context, s streams, _ *command) error {
		return remote.Work(ctx, s.host.Facts(ctx), s.host.Tree, s.in, s.out)
	}, nil)
	v.hidden = true
	return v
}
