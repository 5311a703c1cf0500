package main

import (
	"context"
	"flag"
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/internal/lintdriver"
	"github.com/tarebench/tare/internal/report/formats"
	"github.com/tarebench/tare/internal/report/words"
	"github.com/tarebench/tare/internal/usage"
	"github.com/tarebench/tare/lint"
)

func lintCommand(s streams) *cli.Command {
	flags := []cli.Flag{
		&cli.StringFlag{Name: "checks", Value: "default", Usage: "checks to run: default, all, or ids separated by commas; -ID leaves one out"},
		&cli.BoolFlag{Name: "list", Usage: "list the checks and stop"},
		&cli.StringFlag{Name: "explain", Usage: "print the documentation of the check `ID`, with examples, and stop"},
		&cli.BoolFlag{Name: "fix", Usage: "apply the suggested fixes to the files"},
		&cli.BoolFlag{Name: "diff", Usage: "print the suggested fixes as a diff and change nothing"},
		&cli.BoolFlag{Name: "prove", Usage: "build the tests and look at the machine code of the loops in doubt"},
		&cli.StringFlag{Name: "tags", Usage: "build tags, separated by commas"},
	}
	flags = append(flags, formatFlags("text", "json", "sarif", "gitlab")...)
	var own []cli.Flag
	for _, c := range lint.Checks() {
		c.Flags.VisitAll(func(f *flag.Flag) {
			own = append(own, &cli.BoolFlag{Name: c.Name + "." + f.Name, Usage: f.Usage})
		})
	}
	flags = append(flags, usage.Group("Flags of single checks", own...)...)
	return &cli.Command{
		Name:  "lint",
		Flags: flags,
		Action: func(ctx context.Context, c *cli.Command) error {
			return runLint(ctx, s, c)
		},
	}
}

// lintRun is one run of the checks.
type lintRun struct {
	checks  []lint.Check
	options lintdriver.Options
	format  string
}

func runLint(ctx context.Context, s streams, c *cli.Command) error {
	if id := c.String("explain"); id != "" {
		return asUsage(lintdriver.Explain(s.out, id))
	}
	o, err := readLintRun(c)
	if err != nil {
		return err
	}
	if c.Bool("list") {
		return lintdriver.List(s.out, o.checks)
	}
	found, err := lintdriver.Check(ctx, o.options, o.checks, c.Bool("prove"), packagesOf(c.Args().Slice())...)
	for _, err := range found.Broken {
		fmt.Fprintf(s.err, "not checked: %v\n", err)
	}
	for _, err := range found.Unproven {
		fmt.Fprintf(s.err, "not proven: %v\n", err)
	}
	if err != nil {
		return err
	}
	if c.Bool("diff") || c.Bool("fix") {
		err = fixFindings(s, c.Bool("diff"), found)
	} else if err = formats.WriteFile(s.out, c.String("o"), func(w io.Writer) error {
		return o.write(w, found)
	}); err == nil && found.Stands() {
		err = &exitError{exitFound, nil}
	}
	if n := len(found.Broken); n > 0 {
		return &exitError{exitFailed, fmt.Errorf("lint packages: %s not checked: fix the build, or leave them out", words.Plural(n, "package"))}
	}
	return err
}

func readLintRun(c *cli.Command) (o lintRun, err error) {
	if o.format, err = readFormat(c, "text", "json", "sarif", "gitlab"); err != nil {
		return o, err
	}
	if o.checks, err = lintdriver.Select(c.String("checks")); err != nil {
		return o, usagef("flag -checks: %w", err)
	}
	for _, check := range o.checks {
		check.Flags.VisitAll(func(f *flag.Flag) {
			if name := check.Name + "." + f.Name; c.IsSet(name) && err == nil {
				err = f.Value.Set(fmt.Sprint(c.Bool(name)))
			}
		})
	}
	if c.Bool("fix") && c.Bool("diff") {
		return o, usagef("-fix changes the files and -diff does not: give one of them")
	}
	if tags := c.String("tags"); tags != "" {
		o.options.BuildFlags = []string{"-tags=" + tags}
	}
	return o, err
}

func (o lintRun) write(w io.Writer, found lintdriver.Report) error {
	switch o.format {
	case "json":
		return found.WriteJSON(w)
	case "gitlab":
		return found.WriteCodeQuality(w)
	case "sarif":
		return lintdriver.SARIF{Version: version(), Root: found.Dir, Checks: o.checks, Findings: found.Findings, Broken: found.Broken}.Write(w)
	}
	return found.WriteText(w)
}

// fixFindings applies the fixes, or prints what they would do, and reports
// what is left for the reader.
func fixFindings(s streams, dry bool, found lintdriver.Report) error {
	open := found.Open()
	left, n := 0, len(open.Findings)
	var err error
	if dry {
		if n > 0 {
			fmt.Fprintf(s.err, "%s without a safe fix: tare lint names them\n", words.Plural(n, "finding"))
		}
		n, err = len(found.Findings), found.WriteDiff(s.out)
	} else if left, err = found.ApplyFixes(); err == nil {
		fmt.Fprintf(s.err, "fixed %s\n", words.Plural(len(found.Findings)-n-left, "finding"))
		if left > 0 {
			fmt.Fprintf(s.err, "%s not applied because another one changes the same lines: run tare lint -fix again\n", words.Plural(left, "fix"))
		}
		err = open.WriteText(s.out)
	}
	if err == nil && n+left > 0 {
		err = &exitError{exitFound, nil}
	}
	return err
}
