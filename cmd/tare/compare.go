package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/internal/benchtab"
	"github.com/tarebench/tare/internal/judge"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/session"
	"github.com/tarebench/tare/internal/variant"
)

func compareCommand(s streams) *cli.Command {
	flags := append(measureFlags(session.CompareBudget, session.CompareBlocks),
		&cli.StringFlag{Name: "delta", Value: "2%", Usage: "changes smaller than this are the same"},
		&cli.BoolFlag{Name: "gate", Usage: "exit 3 when something is slower beyond delta, 4 when that could not be excluded"},
		&cli.BoolFlag{Name: "measure-all", Usage: "measure also benchmarks whose machine code is the same in all variants"},
		&cli.StringFlag{Name: "resume", Usage: "go on with the interrupted study in `FOLDER`, with its variants, flags and seed; -budget, -blocks (fewer) and the flags of output may be given anew"},
		&cli.StringSliceFlag{Name: "with", Usage: "one more `VARIANT`, compared with OLD too; may be repeated"},
	)
	return &cli.Command{
		// A variant may hold commas.
		DisableSliceFlagSeparator: true,

		Name:      "compare",
		Usage:     "did the change make it faster? Two variants in lockstep, or two result files",
		ArgsUsage: "OLD NEW [packages] [-- arguments of the test binary]",
		Description: `Measures both in turn, in live processes, until it knows or the budget is spent.
OLD and NEW are variants: REV[,key=value…], where REV is a git revision or
"." for the working tree, or bin=FILE for a kept test binary. The keys are
tags=, env=NAME=VALUE, flags=, go=VERSION and mod=path@version.

Example: what did my change do?

   tare compare main .

Example: the same code with another setting, in every package:

   tare compare . .,env=GOGC=200 ./...

Example: fail a script when something became slower by more than 3 %:

   tare compare -gate -delta 3% v1.2.0 HEAD ./...`,
		Flags: flags,
		Action: func(ctx context.Context, c *cli.Command) error {
			return runCompare(ctx, s, c)
		},
	}
}

func runCompare(ctx context.Context, s streams, c *cli.Command) error {
	if c.String("resume") != "" {
		return runResume(ctx, s, c)
	}
	args, after := splitDash(c, s.typed)
	if len(args) < 2 {
		return usagef("compare needs two variants, OLD and NEW, such as: tare compare main .")
	}
	if isFile(args[0]) && isFile(args[1]) {
		return compareFiles(s, c, args)
	}
	o, err := readMeasureFlags(c)
	if err != nil {
		return err
	}
	to, err := readDestination(c)
	if err != nil {
		return err
	}
	if o.Delta, err = readDelta(c); err != nil {
		return err
	}
	if o.Variants, err = parseVariants(append(slices.Clone(args[:2]), c.StringSlice("with")...)...); err != nil {
		return err
	}
	if o.Packages = args[2:]; len(o.Packages) == 0 {
		o.Packages = []string{"."}
	}
	for _, p := range o.Packages {
		if _, keys, ok := strings.Cut(p, ","); ok && strings.Contains(keys, "=") {
			return usagef("%s stands where packages do: a third variant is given as -with %s", p, p)
		}
	}
	o.MeasureAll = c.Bool("measure-all")
	o.Kind, o.Args, o.Command, o.Host, o.Output = "compare", after, s.typed, s.host, to.request(c.Bool("gate"))
	return measureComparison(ctx, s, o, to, c.Bool("v"))
}

// measureComparison carries out a session of several variants and reports it.
func measureComparison(ctx context.Context, s streams, o session.Spec, to destination, verbose bool) error {
	return measure(ctx, s, o, to, verbose, func(m *session.Session) (report.Document, error) {
		comparison := m.Comparison()
		return report.Document{Comparison: &comparison}, comparisonExit(comparison, m.Interrupted(), o.Output.Gate)
	})
}

func parseVariants(texts ...string) ([]variant.Spec, error) {
	specs := make([]variant.Spec, len(texts))
	for i, text := range texts {
		var err error
		if specs[i], err = variant.Parse(text); err != nil {
			return nil, &exitError{exitUsage, err}
		}
	}
	return specs, nil
}

// comparisonExit turns what was found into the exit code.
func comparisonExit(c result.Comparison, interrupted, gate bool) error {
	if interrupted || c.Summary.Failed > 0 {
		return &exitError{code: exitFailed}
	}
	measured := slices.ContainsFunc(c.Benchmarks, func(b result.BenchmarkComparison) bool {
		return b.Blocks > 0 || b.Reason == result.ReasonSameCode
	})
	if !measured {
		return &exitError{code: exitFailed}
	}
	if !gate {
		return nil
	}
	return gateExit(&c)
}

// gateExit is the exit code of -gate, with the benchmarks behind it.
func gateExit(c *result.Comparison) error {
	switch outcome, rows := judge.GateRows(*c); outcome {
	case judge.Regression:
		return &exitError{exitFound, errors.New(report.Gate(c, rows, true))}
	case judge.Open:
		return &exitError{exitUndecided, errors.New(report.Gate(c, rows, false))}
	}
	return nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// compareFiles is tare stat of result files, for the flags that both verbs
// have.
func compareFiles(s streams, c *cli.Command, files []string) error {
	for _, name := range c.LocalFlagNames() {
		switch name {
		case "delta", "alpha", "format", "o", "json", "gate", "ascii", "github":
		default:
			return usagef("flag -%s says how to measure, and %s is a file of what was measured: tare stat -help lists the flags for files", name, files[0])
		}
	}
	o := statOptions{gate: c.Bool("gate"), files: benchtab.Options{Confidence: 0.95}}
	var err error
	if o.files.Alpha, err = readAlpha(c); err != nil {
		return err
	}
	if o.files.Delta, err = readDelta(c); err != nil {
		return err
	}
	o.deltaSet = c.IsSet("delta")
	if o.to, err = readDestination(c, "benchstat"); err != nil {
		return err
	}
	o.files.KeepOrder = o.to.pictured()
	return statFiles(s, files, o)
}
