// Command tare measures Go benchmarks with the overhead of the clock subtracted,
// compares two variants of the code in lockstep, and says what the numbers
// show.
//
// One file per verb: run.go, compare.go, stat.go, show.go, doctor.go,
// lint.go, lock.go, selftest.go. Only this package knows flags, exit codes and terminals.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/tarebench/tare/cmd/tare/internal/session"
)

func main() { program(session.Host{Tree: os.DirFS("/"), Root: "/"}) }

// program runs the command line of this process on a machine and ends it.
func program(host session.Host) {
	// The signals stay caught until the process ends, so that its exit code is
	// its own however often Ctrl-C is pressed.
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	os.Exit(run(ctx, host, os.Args, os.Stdin, os.Stdout, os.Stderr))
}
