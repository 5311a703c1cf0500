// Command tare measures Go benchmarks with the weight of the scale taken off,
// compares two variants of the code in lockstep, and says what the numbers
// show.
//
// One file per verb: run.go, compare.go, stat.go, show.go, doctor.go,
// lint.go, lock.go, selftest.go. Only this package knows flags, exit codes and terminals.
package main

import (
	"context"
	"io/fs"
	"os"
	"os/signal"
	"syscall"
)

func main() { program(os.DirFS("/")) }

// program runs the command line of this process and ends it. What disturbs a
// block is read from the counters of /proc and /sys below machine.
func program(machine fs.FS) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, machine, os.Args, os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
