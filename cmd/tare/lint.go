package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/explain"
	"github.com/tarebench/tare/cmd/tare/internal/lintdriver"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/finding"
)

func lintCommand(s streams) *command {
	return verb(s, "lint", runLint, flags("checks tags profile format json", formatFlags(lintdriver.Formats()...)...))
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
	o := lintdriver.Options{BuildFlags: session.TagFlags(readTags(c)), Progress: func(line string) { s.say("tare: %s", line) }}
	found, err := lintdriver.Check(ctx, o, checks, session.PackagesOf(c.args)...)
	for _, err := range found.Broken {
		s.say("not checked: %v", err)
	}
	if err != nil {
		return err
	}
	if file := c.text("profile"); file != "" {
		hot, err := unbenched(ctx, s, c, file)
		if err != nil {
			return err
		}
		found.Findings = append(found.Findings, hot...)
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

func unbenched(ctx context.Context, s streams, c *command, file string) (all []lintdriver.Diagnostic, err error) {
	spec := session.DefaultSpec()
	spec.Host, spec.Command, spec.Packages, spec.Tags = s.host, s.command(), session.PackagesOf(c.args), readTags(c)
	hot, err := explain.Unbenched(ctx, spec, file, func(line string) { s.say("tare: %s", line) })
	for _, h := range hot {
		nearest := "write one that calls it"
		if h.Nearest != "" {
			nearest = "the benchmark nearest to it by calls is " + h.Nearest + ": write one like it"
		}
		f := catalog.HotCode.Of(words.Symbol(h.Name), finding.Share("share", h.Share), finding.Text("file", filepath.Base(file)), finding.Text("nearest", nearest))
		all = append(all, lintdriver.Diagnostic{Finding: f, File: h.File, Line: h.Line, Column: min(h.Line, 1)})
	}
	return all, err
}
