// Command tare measures Go benchmarks with the overhead of the clock subtracted,
// compares variants of the code in lockstep, and reports verdicts with a known
// error rate.
//
// Each verb has a file. Only this package deals with flags, exit codes and
// terminals.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/session"
)

const cleanUp = 2 * time.Second

func main() { program(session.Host{Tree: os.DirFS("/"), Root: "/"}) }

// program runs the command line of this process on a machine and ends it.
//
// The first signal cancels the context, so that a measuring verb ends its
// processes and prints its result. Impatient signals do not disturb that. A
// signal more than cleanUp later ends the process, because the verb then waits
// for something that no context reaches.
func program(host session.Host) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	if onlyReads(os.Args) {
		stop()
		ctx = context.Background()
	}
	context.AfterFunc(ctx, func() { time.AfterFunc(cleanUp, stop) })
	os.Exit(run(ctx, host, os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// onlyReads reports whether the verb reads files and leaves nothing to clean up,
// so that the first signal can end it, even in a read that blocks.
func onlyReads(args []string) bool {
	return len(args) > 1 && (args[1] == "stat" || args[1] == "show")
}
