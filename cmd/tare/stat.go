package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/internal/benchfile"
	"github.com/tarebench/tare/internal/benchtab"
	"github.com/tarebench/tare/internal/judge"
	"github.com/tarebench/tare/internal/kind"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/formats"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/session"
	"github.com/tarebench/tare/unit"
)

func statCommand(s streams) *cli.Command {
	return &cli.Command{
		Name: "stat",
		Flags: append(outputFlags("benchstat"),
			&cli.StringFlag{Name: "filter", Usage: "use only the benchmarks that match `QUERY`"},
			&cli.StringFlag{Name: "table", Usage: "split into tables by `KEYS` (default .config, less what distinguishes the files only)"},
			&cli.StringFlag{Name: "row", Usage: "split into rows by `KEYS` (default .fullname)"},
			&cli.StringFlag{Name: "col", Usage: "compare across `KEYS` (default .file)"},
			&cli.StringFlag{Name: "ignore", Usage: "leave `KEYS` out of the grouping"},
			&cli.StringFlag{Name: "alpha", Value: "0.05", Usage: "error rate of the verdicts over each table"},
			&cli.StringFlag{Name: "confidence", Value: "0.95", Usage: "confidence of the interval of each median"},
			deltaFlag(),
			&cli.StringFlag{Name: "against", Value: "first", Usage: "compare each column with `WHICH`: the first, or the previous one"},
			&cli.BoolFlag{Name: "gate", Usage: "exit 3 if something is slower beyond delta, 4 if that is not excluded"},
		),
		Action: func(_ context.Context, c *cli.Command) error { return runStat(s, c) },
	}
}

// statOptions are the flags, read and checked.
type statOptions struct {
	files benchtab.Options
	to    destination
	gate  bool
	// deltaSet is true where δ was typed: a recording has one of its own.
	deltaSet bool
	// onePair refuses files that hold more than two sides.
	onePair bool
}

func runStat(s streams, c *cli.Command) error {
	o, err := readStatFlags(c)
	if err != nil {
		return err
	}
	if !c.Args().Present() {
		return usagef("stat needs a file: tare stat [flags] [label=]FILE…")
	}
	return statFiles(s, c.Args().Slice(), o)
}

// statFiles reads files and writes the tables that they make.
func statFiles(s streams, args []string, o statOptions) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50) // less memory, for some milliseconds at 200,000 lines
	}
	files, err := session.ReadFiles(args, s.in)
	if err != nil {
		return err
	}
	if o.onePair {
		if err := session.OnePair(files); err != nil {
			return asUsage(err)
		}
	}
	out, err := judgeFiles(files, o.files, o.deltaSet)
	if err != nil {
		return err
	}
	if o.to.format == "benchstat" && out.Tables == nil {
		return usagef("-format benchstat lays out samples, and %s is a paired study: read its benchmark.txt instead", files[0].Path)
	}
	if o.gate && out.Comparison == nil {
		return usagef("-gate needs two sides: name two files, or a key in -col that has two values")
	}
	d := report.FilesDocument(out.Comparison, out.Run, out.Recording, out.Tables)
	d.Command = s.typed
	write := func(w io.Writer, options report.Options) error { return formats.Write(w, o.to.format, d, options) }
	if o.to.format == "benchstat" {
		write = func(w io.Writer, _ report.Options) error { return report.Benchstat(w, out.Tables) }
		for _, f := range out.Tables.Findings { // the layout has no place for it
			if kind.ConfigDiffers.Is(f) {
				fmt.Fprintf(s.err, "tare: %s\n", f)
			}
		}
	}
	if err := o.to.writeAs(s, d, write); err != nil {
		return err
	}
	if !o.gate {
		return nil
	}
	if err := gateExit(out.Comparison); err != nil {
		return err
	}
	return completeExit(out.Comparison)
}

// completeExit is the exit code of a gate that saw no regression in files: it
// does not pass where a run failed or a benchmark has no new result.
func completeExit(c *result.Comparison) error {
	if gone := judge.Gone(*c); len(gone) > 0 {
		return &exitError{exitUndecided, errors.New(report.GateGone(gone))}
	}
	for _, f := range c.Findings {
		if kind.FailedRun.Is(f) {
			return &exitError{exitUndecided, fmt.Errorf("gate: %s: %s", f.Subject, f.Message)}
		}
	}
	return nil
}

// readStatFlags reads the flags.
func readStatFlags(c *cli.Command) (o statOptions, err error) {
	o = statOptions{gate: c.Bool("gate"), deltaSet: c.IsSet("delta"), files: benchtab.Options{
		Filter: c.String("filter"), Table: c.String("table"), Row: c.String("row"), Col: c.String("col"), Ignore: c.String("ignore"),
	}}
	if o.files.Delta, err = readDelta(c); err != nil {
		return o, err
	}
	if o.files.Alpha, err = readAlpha(c); err != nil {
		return o, err
	}
	if o.files.Confidence, err = unit.ParsePercent(c.String("confidence")); err != nil || o.files.Confidence == 0 {
		return o, usagef("flag -confidence: %q does not lie between 0 and 1", c.String("confidence"))
	}
	switch c.String("against") {
	case "first":
	case "previous":
		o.files.Previous = true
	default:
		return o, usagef("-against %s: first or previous", c.String("against"))
	}
	if o.to, err = readDestination(c, "benchstat"); err != nil {
		return o, err
	}
	if o.to.format == "benchstat" && o.files.Previous {
		return o, usagef("-format benchstat compares with the first column: leave -against out")
	}
	o.files.KeepOrder = o.to.pictured()
	return o, nil
}

// judgeFiles is [session.JudgeFiles] with its errors as exit codes.
func judgeFiles(files []*benchfile.File, o benchtab.Options, deltaSet bool) (session.FilesResult, error) {
	var delta *float64
	if deltaSet {
		delta = &o.Delta
	}
	out, err := session.JudgeFiles(files, o, delta)
	if err != nil && !errors.Is(err, benchtab.ErrNothingLeft) {
		return out, &exitError{exitUsage, err}
	}
	return out, err
}
