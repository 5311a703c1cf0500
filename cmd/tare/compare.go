package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/internal/benchtab"
	"github.com/tarebench/tare/internal/judge"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/session"
	"github.com/tarebench/tare/internal/usage"
	"github.com/tarebench/tare/internal/variant"
)

func compareCommand(s streams) *cli.Command {
	flags := append(append(measureFlags(session.CompareBudget, session.CompareBlocks),
		deltaFlag(),
		&cli.BoolFlag{Name: "gate", Usage: "exit 3 when something is slower beyond -delta, 4 when that could not be excluded"},
		&cli.StringSliceFlag{Name: "with", Usage: "compare one more `VARIANT` with OLD; may be repeated"},
		&cli.StringSliceFlag{Name: "on", Usage: "measure on another machine, through `LAUNCHER`, a command that runs one there ('ssh bench1', 'srun -N1 --exclusive'); may be repeated"},
		&cli.StringFlag{Name: "resume", Usage: "resume the interrupted study in `FOLDER`, with its variants, flags and seed; -budget, -blocks (fewer) and the flags of output may be changed"},
	), recordFlags()...)
	flags = append(flags, usage.Group(planHeading,
		&cli.BoolFlag{Name: "explain", Usage: "look for causes of what became faster or slower, with profiles and the compilers' reasons"},
		&cli.BoolFlag{Name: "measure-all", Usage: "measure also benchmarks whose machine code is the same in all variants"},
	)...)
	return &cli.Command{
		// A variant may hold commas.
		DisableSliceFlagSeparator: true,

		Name:  "compare",
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
	if session.IsResult(args[0]) && session.IsResult(args[1]) {
		return compareFiles(s, c, args)
	}
	o, err := readComparison(s, c, args)
	if err != nil {
		return err
	}
	to, err := readDestination(c)
	if err != nil {
		return err
	}
	o.Args, o.On, o.Output = after, c.StringSlice("on"), to.request(c.Bool("gate"))
	if err := checkOn(c, o); err != nil {
		return err
	}
	keep, err := keeper(ctx, s, c)
	if err != nil {
		return err
	}
	return measureComparison(ctx, s, o, to, c.Bool("v"), keep)
}

// readComparison reads what to compare and how: the flags and OLD NEW
// [packages].
func readComparison(s streams, c *cli.Command, args []string) (o session.Spec, err error) {
	if o, err = readMeasureFlags(c); err != nil {
		return o, err
	}
	if o.Delta, err = readDelta(c); err != nil {
		return o, err
	}
	if o.Variants, err = parseVariants(append(slices.Clone(args[:2]), c.StringSlice("with")...)...); err != nil {
		return o, err
	}
	o.Packages = packagesOf(args[2:])
	for _, p := range o.Packages {
		if _, keys, ok := strings.Cut(p, ","); ok && strings.Contains(keys, "=") {
			return o, usagef("%s is not a package pattern: a third variant is given as -with %s", p, p)
		}
	}
	if o.Total > 0 && !c.IsSet("blocks") && !c.IsSet("count") {
		o.Blocks = session.TotalBlocks
	}
	o.MeasureAll, o.Explain = c.Bool("measure-all"), c.Bool("explain")
	o.Kind, o.Command, o.Host = "compare", s.typed, s.host
	return o, nil
}

// measureComparison carries out a session of several variants, reports it, and
// passes it to keep unless that is nil.
func measureComparison(ctx context.Context, s streams, o session.Spec, to destination, verbose bool, keep func(result.Comparison) error) error {
	return measure(ctx, s, o, verbose, func(m *session.Session, err error) error {
		comparison := m.Comparison()
		exit := comparisonExit(comparison, m.Interrupted(), o.Output.Gate)
		if keep != nil {
			if err := keep(comparison); err != nil {
				exit = errors.Join(err, exit)
			}
		}
		return to.writeSession(s, m, err, report.Document{Comparison: &comparison}, exit)
	})
}

// parseVariants is [variant.ParseAll] with its error as one of usage.
func parseVariants(texts ...string) ([]variant.Spec, error) {
	specs, err := variant.ParseAll(texts...)
	return specs, asUsage(err)
}

// comparisonExit turns what was found into the exit code.
func comparisonExit(c result.Comparison, interrupted, gate bool) error {
	if interrupted || c.Summary.Failed > 0 {
		return &exitError{code: exitFailed}
	}
	measured := slices.ContainsFunc(c.Benchmarks, func(b result.BenchmarkComparison) bool {
		return b.Blocks > 0 || b.Reason == result.ReasonSameCode
	})
	if !measured && !(gate && c.Summary.NotReached > 0) {
		return &exitError{code: exitFailed}
	}
	if !gate {
		return nil
	}
	return gateExit(&c)
}

// gateExit is the exit code of -gate, with the benchmarks that cause it.
func gateExit(c *result.Comparison) error {
	switch outcome, rows := judge.GateRows(*c); outcome {
	case judge.Regression:
		return &exitError{exitFound, errors.New(report.Gate(c, rows, true))}
	case judge.Open:
		return &exitError{exitUndecided, errors.New(report.Gate(c, rows, false))}
	}
	return nil
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
	o := statOptions{gate: c.Bool("gate"), onePair: true, files: benchtab.Options{Confidence: 0.95}}
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
