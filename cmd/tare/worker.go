package main

import (
	"context"

	"github.com/tarebench/tare/cmd/tare/internal/remote"
)

// workerCommand is the verb that tare compare -on starts on other machines. It
// is not for users, and no help lists it.
func workerCommand(s streams) *command {
	v := verb(s, remote.WorkerVerb, func(ctx context.Context, s streams, _ *command) error {
		return remote.Work(ctx, s.host.Facts(ctx), s.host.Tree, s.in, s.out)
	}, nil)
	v.hidden = true
	return v
}
