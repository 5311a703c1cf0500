package main

import (
	"context"
	"slices"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/internal/lockstep"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/result"
)

func runVerb(s streams) *cli.Command {
	return &cli.Command{
		Name:      "run",
		Usage:     "measure benchmarks, with the weight of the clock taken off",
		ArgsUsage: "[packages] [-- arguments of the test binary]",
		Description: `Every benchmark is measured in blocks: fresh processes, each linked in another
order, many short slices in each.

Example: the benchmarks of this package:

   tare run

Example: some of them, with two settings of GOMAXPROCS:

   tare run -bench Sort -cpu 1,2 ./...`,
		Flags: append(measureFlags(5*time.Second, 10),
			&cli.StringFlag{Name: "variant", Value: ".", Usage: "measure this `VARIANT`: see tare compare -help"},
		),
		Action: func(ctx context.Context, c *cli.Command) error {
			return runRun(ctx, s, c)
		},
	}
}

func runRun(ctx context.Context, s streams, c *cli.Command) error {
	patterns, after := splitDash(c, s.typed)
	o, err := readMeasureFlags(c)
	if err != nil {
		return err
	}
	o.delta = 0.02
	o.args = after
	if (o.blockTime > 0 || o.iterations > 0) && !c.IsSet("budget") {
		// The user says how long a block is and how many there are.
		o.budget = 0
	}
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	m, err := measure(ctx, s, "run", []string{c.String("variant")}, patterns, o)
	if err != nil {
		return err
	}
	run := lockstep.Run(m.rec)
	run.Folder = m.folder
	run.Findings = append(run.Findings, m.proofs...)
	if err := o.out.write(s, report.Document{Run: &run, Recording: m.rec, Command: s.typed, Created: m.rec.Study.Created}); err != nil {
		return err
	}
	failed := func(b result.Measurement) bool { return b.Failed != "" }
	if m.interrupted || slices.ContainsFunc(run.Benchmarks, failed) {
		return &exitError{code: exitFailed}
	}
	return nil
}
