package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/cmd/tare/internal/attempt"
	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

// tryBudget is the most measuring time for one benchmark of an attempt.
const tryBudget = 5 * time.Second

func tryCommand(s streams) *cli.Command {
	return verb(s, "try", runTry, slices.Concat([]cli.Flag{
		&cli.StringFlag{Name: "bench", Value: ".", Usage: "the benchmarks to improve: those that match `REGEXP`"},
		&cli.StringFlag{Name: "want", Value: "0.5%", Usage: "keep needs a gain above this"},
		&cli.StringFlag{Name: "budget", Value: tryBudget.String(), Usage: "most measuring `TIME` for one benchmark"},
		&cli.StringFlag{Name: "best", Usage: "begin with the tree of `REV`, not of HEAD"},
		&cli.BoolFlag{Name: "test", Usage: "the tests of the packages must pass first"},
		&cli.BoolFlag{Name: "audit", Usage: "look where the time of the last gain went: other tests, init, goroutines, the first call, memory"},
		&cli.BoolFlag{Name: "log", Usage: "print the attempts of the session"},
		&cli.BoolFlag{Name: "check", Usage: "compare the best tree with the first one in new blocks"},
		&cli.BoolFlag{Name: "end", Usage: "check, print the attempts and close the session"},
		&cli.StringFlag{Name: "format", Value: "text", Usage: "text, line (one line of JSON)"},
		&cli.BoolFlag{Name: "v", Usage: "report each step on standard error"},
	}, groupFlags(planHeading,
		&cli.StringFlag{Name: "session", Usage: "the session in `FOLDER`, which several checkouts of a repository may share"},
		&cli.StringFlag{Name: "holdout", Usage: "`SHARE` of the benchmark functions (30%) that are measured by -check and -end alone"},
		deltaFlag(),
		&cli.IntFlag{Name: "blocks", Value: session.CompareBlocks, Usage: "measure `N` blocks of a benchmark at most"},
		&cli.StringFlag{Name: "benchtime", Usage: "measuring time of one block and variant (a duration), or the iterations of a slice (100x); chosen by default"},
		&cli.BoolFlag{Name: "layouts", Value: true, Usage: "link every block in another function order"},
		&cli.StringFlag{Name: "alpha", Value: "0.05", Usage: "error `RATE` of revert: a gain above -want is missed"},
		&cli.StringFlag{Name: "cpu", Usage: "GOMAXPROCS to measure with"},
		&cli.StringFlag{Name: "cpus", Usage: "measure on the CPUs of `LIST` (0-3,8), or on all"},
		&cli.StringFlag{Name: "tags", Usage: "build tags, separated by commas"},
		&cli.DurationFlag{Name: "timeout", Value: 10 * time.Minute, Usage: "give up on a slice or a setup that takes longer"},
		lockFlag("wait"),
	)))
}

func runTry(ctx context.Context, s streams, c *cli.Command) error {
	format := c.String("format")
	if format != "text" && format != "line" {
		return usagef("flag -format: %q is none of text, line", format)
	}
	o, err := readTry(s, c)
	if err != nil {
		return err
	}
	if c.Bool("log") {
		log, folder, err := attempt.Log(ctx, o.Spec.Dir, o.Folder)
		if err != nil {
			return err
		}
		return report.AttemptLog(s.out, log, folder)
	}
	live := s.live(c.Bool("v"), 0)
	defer live.Close()
	if c.Bool("end") || c.Bool("check") {
		log, folder, err := attempt.Check(ctx, o, c.Bool("end"), live)
		live.Close()
		if err != nil {
			return err
		}
		return report.AttemptLog(s.out, log, folder)
	}
	if c.Bool("audit") {
		findings, err := attempt.Audit(ctx, o, live)
		live.Close()
		if err != nil {
			return err
		}
		return report.AuditText(s.out, findings)
	}
	r, err := attempt.Run(ctx, o, live)
	live.Close()
	if err != nil {
		return err
	}
	return writeAttempt(s, r, format)
}

// writeAttempt prints an answer; what else the user should know goes to standard
// error.
func writeAttempt(s streams, r attempt.Result, format string) error {
	exit := map[attempt.Verdict]int{attempt.Keep: exitDone, attempt.Revert: exitFound, attempt.Again: exitUndecided}
	code, ok := exit[r.Verdict]
	if !ok {
		code = exitFailed
	}
	if r.Baseline != "" {
		fmt.Fprintf(s.err, "new baseline: %s; the best tree stays, and earlier answers no longer hold\n", r.Baseline)
	}
	if len(r.Tests) > 0 {
		fmt.Fprintf(s.err, "changed since the best tree: %s: the benchmarks may do other work\n", strings.Join(r.Tests, ", "))
	}
	write := func(w io.Writer) error { return report.AttemptText(w, r) }
	if format == "line" {
		write = func(w io.Writer) error { return result.WriteBrief(w, report.AttemptBrief(r, code)) }
	}
	if err := write(s.out); err != nil {
		return err
	}
	if code == exitDone {
		return nil
	}
	return &exitError{code: code}
}

// readTry reads what to try and how.
func readTry(s streams, c *cli.Command) (o attempt.Options, err error) {
	args, after := splitDash(c, s.typed)
	o = attempt.Options{Best: c.String("best"), Folder: c.String("session"), Test: c.Bool("test"), Output: s.err}
	if o.Spec, err = readSpec(s, c, after); err != nil {
		return o, err
	}
	if err := readBudget(c, &o.Spec); err != nil {
		return o, err
	}
	block, iterations, err := session.ParseBenchtime(c.String("benchtime"))
	if err != nil {
		return o, usagef("flag -benchtime: %w", err)
	}
	o.Spec.BlockSeconds, o.Spec.Iterations, o.Spec.Layouts = block.Seconds(), iterations, c.Bool("layouts")
	if o.Spec.MaxBlocks < 1 {
		return o, usagef("flag -blocks: %d is less than 1", o.Spec.MaxBlocks)
	}
	if o.Want, err = readFlag(c, "want", session.ParseDelta); err != nil {
		return o, err
	}
	if c.IsSet("holdout") {
		if o.HoldOut, err = readFlag(c, "holdout", session.ParseDelta); err != nil {
			return o, err
		}
	}
	if o.Spec.Packages, err = measured(args); err != nil {
		return o, err
	}
	if o.Spec.Dir, err = os.Getwd(); err != nil {
		return o, fmt.Errorf("find working folder: %w", err)
	}
	for _, name := range []string{"bench", "want", "budget", "holdout", "delta", "blocks", "benchtime", "layouts", "alpha", "cpu", "cpus", "tags", "timeout"} {
		o.Typed = o.Typed || c.IsSet(name)
	}
	o.Typed = o.Typed || len(args) > 0 || len(after) > 0
	return o, nil
}
