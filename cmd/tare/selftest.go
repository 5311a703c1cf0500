package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/selftest"
)

func selftestCommand(s streams) *cli.Command {
	return verb(s, "selftest", runSelftest, append(formatFlags("text", "json"),
		&cli.BoolFlag{Name: "quick", Usage: "stop after about two minutes"},
		&cli.IntFlag{Name: "null", Value: 110, Usage: "make `N` comparisons without a change"},
		&cli.IntFlag{Name: "known", Value: 55, Usage: "make `N` comparisons with each known change"},
		&cli.BoolFlag{Name: "sequential", Value: true, Usage: "also run the sequential method on the first 100 comparisons without a change"},
		&cli.DurationFlag{Name: "benchtime", Value: 20 * time.Millisecond, Usage: "give each of the ten counts of the sequential method this `TIME`"},
		&cli.IntFlag{Name: "busy", Usage: "keep `N` processes that never sleep running meanwhile", HideDefault: true},
		&cli.Uint64Flag{Name: "seed", HideDefault: true, Usage: "random seed `N` (default: random; recorded with the results)"},
		lockFlag("wait"),
	))
}

func runSelftest(ctx context.Context, s streams, c *cli.Command) error {
	format, err := readFormat(c, "text", "json")
	if err != nil {
		return err
	}
	o := selftest.Options{
		Null: c.Int("null"), Known: c.Int("known"), Seed: c.Uint64("seed"), Sequential: c.Bool("sequential"), Benchtime: c.Duration("benchtime"), Busy: c.Int("busy"), Host: s.host, OnWait: onWait(s),
		Compared: func(truth result.SelfTestTruth, left time.Duration) {
			fmt.Fprintln(s.err, report.SelfTestProgress(truth, left))
		},
	}
	if o.Lock, err = readFlag(c, "lock", machine.ParseLockMode); err != nil {
		return err
	}
	if c.Bool("quick") {
		o.Most = 2 * time.Minute
	}
	out, err := o.Run(ctx)
	if err != nil {
		return err
	}
	return writeValue(s, c, format, out, func(w io.Writer) error { return report.SelfTestText(w, out) })
}
