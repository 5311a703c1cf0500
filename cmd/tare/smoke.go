package main

import (
	"context"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/cmd/tare/internal/smoke"
)

func smokeCommand(s streams) *cli.Command {
	return verb(s, "smoke", runSmoke, append(formatFlags("text", "json"),
		&cli.StringFlag{Name: "bench", Usage: "run the benchmark functions that match `REGEXP`"},
		&cli.DurationFlag{Name: "timeout", Value: time.Minute, Usage: "end a benchmark that takes longer"},
		&cli.IntFlag{Name: "p", Value: runtime.NumCPU(), Usage: "packages to run at the same time"},
		&cli.StringFlag{Name: "tags", Usage: "build tags, separated by commas"},
		&cli.BoolFlag{Name: "v", Usage: "list the benchmarks that are in order too"},
	))
}

func runSmoke(ctx context.Context, s streams, c *cli.Command) error {
	format, err := readFormat(c, "text", "json")
	if err != nil {
		return err
	}
	o := smoke.Options{Bench: c.String("bench"), Timeout: c.Duration("timeout"), Parallel: c.Int("p"), BuildFlags: session.TagFlags(readTags(c))}
	results, err := smoke.Run(ctx, o, session.PackagesOf(c.Args().Slice()), func(r smoke.Result) {
		if r.Outcome.Broken() {
			_ = report.SmokeFailure(s.err, r)
		}
	})
	if err != nil {
		return err
	}
	if err := writeValue(s, c, format, report.SmokeDocument(results), func(w io.Writer) error { return report.SmokeText(w, results, c.Bool("v")) }); err != nil {
		return err
	}
	switch {
	case slices.ContainsFunc(results, func(r smoke.Result) bool { return r.Outcome.Broken() }):
		return &exitError{exitFailed, nil}
	case slices.ContainsFunc(results, smoke.Result.Leaks):
		return &exitError{exitFound, nil}
	}
	return nil
}
