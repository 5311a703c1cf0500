package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/internal/hostlock"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/selftest"
)

func selftestCommand(s streams) *cli.Command {
	return &cli.Command{
		Name:  "selftest",
		Usage: "how often is tare wrong on this machine? False alarms, power and coverage, measured",
		Description: `Compares variants whose true change is known (none, 2 % and 5 %) over eleven
small benchmarks, again and again with other coins and layouts, and counts what
the verdicts get right. Of the comparisons of like with like one half has two copies
of a binary, the other two binaries that differ in code which no benchmark runs,
and so in their layout. The customary method (go test -count=10 -benchtime=20ms,
all old and then all new, Mann-Whitney test at 0.05) runs beside them on the same
binaries.

Example: two minutes, for an impression:

   tare selftest -quick

Example: the acceptance list: 400 comparisons of like with like, 200 of each
known change:

   tare selftest -null 400 -known 200`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "quick", Usage: "stop after about two minutes"},
			&cli.IntFlag{Name: "null", Value: 110, Usage: "make `N` comparisons of like with like"},
			&cli.IntFlag{Name: "known", Value: 55, Usage: "make `N` comparisons with each known change"},
			&cli.BoolFlag{Name: "customary", Value: true, Usage: "run the customary method beside the comparisons of like with like"},
			&cli.Uint64Flag{Name: "seed", HideDefault: true, Usage: "seed of all coins (`N`); drawn by default"},
			&cli.StringFlag{Name: "lock", Value: "wait", Usage: "while another process measures on this machine: wait, fail or off"},
			&cli.StringFlag{Name: "format", Value: "text", Usage: "text or json"},
			&cli.BoolFlag{Name: "json", Usage: "short for -format json"},
			&cli.StringFlag{Name: "o", Usage: "write to `FILE`, not to standard output"},
		},
		Action: func(ctx context.Context, c *cli.Command) error { return runSelftest(ctx, s, c) },
	}
}

func runSelftest(ctx context.Context, s streams, c *cli.Command) error {
	format := c.String("format")
	if c.Bool("json") {
		format = "json"
	}
	if format != "text" && format != "json" {
		return usagef("flag -format: %q is none of text, json", format)
	}
	lock, err := readLockMode(c)
	if err != nil {
		return err
	}
	if err := writable(c.String("o")); err != nil {
		return err
	}
	o := selftest.Options{
		Null: c.Int("null"), Known: c.Int("known"), Seed: c.Uint64("seed"), Customary: c.Bool("customary"), Host: s.host,
		Turn: func(truth result.SelfTestTruth) { fmt.Fprintln(s.err, report.SelfTestProgress(truth)) },
	}
	if o.Seed == 0 {
		o.Seed = rand.Uint64()>>11 + 1
	}
	if c.Bool("quick") {
		o.Deadline = time.Now().Add(2 * time.Minute)
	}
	release, err := hostlock.Lock(ctx, lock, onWait(s))
	if err != nil {
		return err
	}
	defer release()
	out, err := o.Run(ctx)
	if err != nil {
		return err
	}
	return writeTo(s.out, c.String("o"), func(w io.Writer) error {
		if format == "json" {
			return report.JSON(w, out)
		}
		return report.SelfTestText(w, out)
	})
}
