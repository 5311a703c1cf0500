package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/attempt"
	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// tryBudget is the most measuring time for one benchmark of an attempt.
const tryBudget = 5 * time.Second

func tryCommand(s streams) *command {
	return verb(s, "try", runTry, flags("bench want budget="+tryBudget.String()+" best test log check end format v audit"+
		" resume holdout delta blocks="+strconv.Itoa(session.CompareBlocks)+" tags lock", formatFlags("text", "line")[0]))
}

func runTry(ctx context.Context, s streams, c *command) error {
	format := c.text("format")
	if format != "text" && format != "line" {
		return usagef("flag -format: %q is none of text, line", format)
	}
	o, err := readTry(s, c)
	if err != nil {
		return err
	}
	shape := report.Options{Width: terminalOf(s.out).width}
	live := s.live(c.is("v"), 0)
	defer live.Close()
	writeLog := func(log attempt.Session, folder string, err error) error {
		live.Close()
		if err != nil {
			return err
		}
		return report.AttemptLog(s.out, log, folder, shape)
	}
	switch {
	case c.is("log"):
		return writeLog(attempt.Log(o.Spec.Dir, o.Folder))
	case c.is("end"), c.is("check"):
		return writeLog(attempt.Check(ctx, o, c.is("end"), live))
	case c.is("audit"):
		findings, err := attempt.Audit(ctx, o, live)
		live.Close()
		if err != nil {
			return err
		}
		return report.AuditText(s.out, findings, shape)
	}
	r, err := attempt.Run(ctx, o, live)
	live.Close()
	if err != nil {
		return err
	}
	return writeAttempt(s, r, format)
}

func writeAttempt(s streams, r attempt.Result, format string) error {
	exit := map[attempt.Verdict]int{attempt.Keep: exitDone, attempt.Revert: exitFound, attempt.Again: exitUndecided}
	code, ok := exit[r.Verdict]
	if !ok {
		code = exitFailed
	}
	if r.Baseline != "" {
		s.say("new baseline: %s. The best tree stays, and earlier answers are no longer valid", words.Printable(r.Baseline))
	}
	if len(r.Tests) > 0 {
		s.say("changed since the best tree: %s. The gain is measured with the tests of the best tree, if they build", words.Printable(strings.Join(r.Tests, ", ")))
	}
	result.Possible(&r)
	write := func(w io.Writer) error { return report.AttemptText(w, r, report.Options{Width: terminalOf(w).width}) }
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

func readTry(s streams, c *command) (o attempt.Options, err error) {
	args, after := c.split()
	o = attempt.Options{Best: c.text("best"), Folder: c.text("resume"), Test: c.is("test"), Output: s.err}
	if o.Spec, err = readSpec(s, c, after); err != nil {
		return o, err
	}
	if err := readBudget(c, &o.Spec); err != nil {
		return o, err
	}
	if o.Spec.MaxBlocks < 1 || o.Spec.MaxBlocks > result.MostBlocks {
		return o, usagef("flag -blocks: %d is not 1 to %d", o.Spec.MaxBlocks, result.MostBlocks)
	}
	if o.Want, err = readFlag(c, "want", session.ParseDelta); err != nil {
		return o, err
	}
	if c.isGiven("holdout") {
		if o.HoldOut, err = readFlag(c, "holdout", session.ParseDelta); err != nil {
			return o, err
		}
	}
	if o.Spec.Packages, err = measured(args); err != nil {
		return o, err
	}
	if o.Spec.Dir, err = os.Getwd(); err != nil {
		return o, fmt.Errorf("find working directory: %w", err)
	}
	for _, name := range []string{"bench", "want", "budget", "holdout", "delta", "blocks"} {
		o.Typed = o.Typed || c.isGiven(name)
	}
	o.Named = c.isGiven("tags") || len(args) > 0 || len(after) > 0
	return o, nil
}
