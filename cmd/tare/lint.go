package main

import (
	"context"
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/cmd/tare/internal/lintdriver"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

func lintCommand(s streams) *cli.Command {
	flags := []cli.Flag{
		&cli.StringFlag{Name: "checks", Value: "all", Usage: "checks to run: all, or ids separated by commas; -ID leaves one out"},
		&cli.BoolFlag{Name: "list", Usage: "list the checks and stop"},
		&cli.StringFlag{Name: "explain", Usage: "print the documentation of the check `ID`, with examples, and stop"},
		&cli.BoolFlag{Name: "prove", Usage: "build the tests and look at the machine code of the loops in doubt"},
		&cli.StringFlag{Name: "tags", Usage: "build tags, separated by commas"},
	}
	flags = append(flags, formatFlags(lintdriver.Formats()...)...)
	return verb(s, "lint", runLint, flags)
}

func runLint(ctx context.Context, s streams, c *cli.Command) error {
	if id := c.String("explain"); id != "" {
		return asUsage(lintdriver.Explain(s.out, id))
	}
	format, err := readFormat(c, lintdriver.Formats()...)
	if err != nil {
		return err
	}
	checks, err := lintdriver.Select(c.String("checks"))
	if err != nil {
		return usagef("flag -checks: %w", err)
	}
	if c.Bool("list") {
		return lintdriver.List(s.out, checks)
	}
	o := lintdriver.Options{BuildFlags: session.TagFlags(readTags(c))}
	found, err := lintdriver.Check(ctx, o, checks, c.Bool("prove"), session.PackagesOf(c.Args().Slice())...)
	for _, err := range found.Broken {
		fmt.Fprintf(s.err, "not checked: %v\n", err)
	}
	for _, err := range found.Unproven {
		fmt.Fprintf(s.err, "not proven: %v\n", err)
	}
	if err != nil {
		return err
	}
	err = writeFile(s.out, c.String("o"), func(w io.Writer) error { return found.Write(w, format) })
	if err == nil && found.Stands() {
		err = &exitError{exitFound, nil}
	}
	if n := len(found.Broken); n > 0 {
		return &exitError{exitFailed, fmt.Errorf("lint packages: %s not checked: fix the build, or leave them out", words.Plural(n, "package"))}
	}
	return err
}
