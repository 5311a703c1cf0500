package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/internal/judge"
	"github.com/tarebench/tare/internal/lockstep"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/result"
)

// What compare takes per benchmark unless told otherwise.
const (
	defaultBudget = 10 * time.Second
	defaultBlocks = 40
)

func compareCommand(s streams) *cli.Command {
	flags := append(measureFlags(defaultBudget, defaultBlocks),
		&cli.StringFlag{Name: "delta", Value: "2%", Usage: "changes smaller than this are the same"},
		&cli.BoolFlag{Name: "gate", Usage: "exit 3 when something is slower beyond delta, 4 when that could not be excluded"},
		&cli.StringFlag{Name: "resume", Usage: "go on with the interrupted study in `FOLDER`: its command line, its coins"},
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
	if folder := c.String("resume"); folder != "" && s.resume == nil {
		return resume(ctx, s, folder)
	}
	args, after := splitDash(c, s.typed)
	if len(args) < 2 {
		return usagef("compare needs two variants, OLD and NEW, such as: tare compare main .")
	}
	if isFile(args[0]) && isFile(args[1]) {
		return compareFiles(ctx, s, c, args)
	}
	o, err := readMeasureFlags(c)
	if err != nil {
		return err
	}
	if o.delta, err = parseShare(c.String("delta")); err != nil || o.delta < 0 || o.delta >= 1 {
		return usagef("flag -delta: %q is not a share such as 2%%", c.String("delta"))
	}
	o.args = after
	specs := append(slices.Clone(args[:2]), c.StringSlice("with")...)
	patterns := args[2:]
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	for _, p := range patterns {
		if _, keys, ok := strings.Cut(p, ","); ok && strings.Contains(keys, "=") {
			return usagef("%s stands where packages do: a third variant is given as -with %s", p, p)
		}
	}
	m, err := measure(ctx, s, "compare", specs, patterns, o)
	if err != nil {
		return err
	}
	comparison := lockstep.Compare(m.rec)
	comparison.Folder = m.folder
	comparison.Findings = append(comparison.Findings, m.proofs...)
	comparison.Findings = append(comparison.Findings, profileFindings(comparison.Profiles)...)
	if err := o.out.write(s, report.Document{Comparison: &comparison, Recording: m.rec, Command: s.typed, Created: m.rec.Study.Created}); err != nil {
		return err
	}
	return comparisonExit(comparison, m.interrupted, c.Bool("gate"))
}

// comparisonExit turns what was found into the exit code.
func comparisonExit(c result.Comparison, interrupted, gate bool) error {
	if interrupted || c.Summary.Failed > 0 {
		return &exitError{code: exitFailed}
	}
	measured := slices.ContainsFunc(c.Benchmarks, func(b result.BenchmarkComparison) bool { return b.Blocks > 0 })
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

// compareFiles is tare stat of result files.
func compareFiles(ctx context.Context, s streams, c *cli.Command, files []string) error {
	s.typed = []string{s.typed[0], "stat"}
	for _, name := range c.LocalFlagNames() {
		switch name {
		case "delta", "alpha", "format", "o":
			s.typed = append(s.typed, "-"+name, c.String(name))
		case "json", "gate", "ascii", "github":
			s.typed = append(s.typed, fmt.Sprintf("-%s=%t", name, c.Bool(name)))
		default:
			return usagef("flag -%s says how to measure, and %s is a file of what was measured: tare stat -help lists the flags for files", name, files[0])
		}
	}
	s.typed = append(s.typed, files...)
	if code := s.run(ctx); code != exitDone {
		return &exitError{code: code}
	}
	return nil
}
