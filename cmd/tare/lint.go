package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/lintdriver"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

func lintCommand(s streams) *command {
	return verb(s, "lint", runLint, flags("checks tags format json", formatFlags(lintdriver.Formats()...)...))
}

func runLint(ctx context.Context, s streams, c *command) error {
	format, err := readFormat(c, lintdriver.Formats()...)
	if err != nil {
		return err
	}
	wanted, list := c.text("checks"), false
	if wanted, list = strings.CutPrefix(wanted, "list"); list {
		wanted = cmp.Or(strings.TrimPrefix(wanted, ","), "all")
	}
	checks, err := lintdriver.Select(wanted)
	if err != nil {
		return usagef("flag -checks: %w", err)
	}
	if list {
		return lintdriver.List(s.out, checks, wanted != "all")
	}
	o := lintdriver.Options{BuildFlags: session.TagFlags(readTags(c)), Progress: func(line string) { fmt.Fprintln(s.err, "tare: "+line) }}
	found, err := lintdriver.Check(ctx, o, checks, session.PackagesOf(c.args)...)
	for _, err := range found.Broken {
		fmt.Fprintf(s.err, "not checked: %v\n", err)
	}
	if err != nil {
		return err
	}
	err = found.Write(s.out, format)
	if err == nil && len(found.Findings) > 0 {
		err = &exitError{exitFound, nil}
	}
	if n := len(found.Broken); n > 0 {
		return &exitError{exitFailed, fmt.Errorf("lint packages: %s not checked: fix the build, or omit them", words.Plural(n, "package"))}
	}
	return err
}
