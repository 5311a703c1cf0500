package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/lint"
)

func lintCommand(s streams) *cli.Command {
	flags := []cli.Flag{
		&cli.StringFlag{Name: "checks", Value: "default", Usage: "checks to run: default, all, or ids separated by commas; -ID leaves one out"},
		&cli.BoolFlag{Name: "list", Usage: "list the checks and stop"},
		&cli.BoolFlag{Name: "fix", Usage: "apply the suggested fixes to the files"},
		&cli.BoolFlag{Name: "diff", Usage: "print the suggested fixes as a diff and change nothing"},
		&cli.BoolFlag{Name: "prove", Usage: "build the tests and look at the machine code of the loops in doubt"},
		&cli.StringFlag{Name: "format", Value: "text", Usage: "text, json or sarif"},
		&cli.BoolFlag{Name: "json", Usage: "short for -format json"},
		&cli.StringFlag{Name: "o", Usage: "write to `FILE`, not to standard output"},
		&cli.StringFlag{Name: "tags", Usage: "build tags, separated by commas"},
	}
	for _, c := range lint.Checks() {
		c.Flags.VisitAll(func(f *flag.Flag) {
			flags = append(flags, &cli.BoolFlag{Name: c.Name + "." + f.Name, Usage: f.Usage})
		})
	}
	return &cli.Command{
		Name:      "lint",
		Usage:     "find benchmarks that measure the wrong thing",
		ArgsUsage: "[packages]",
		Description: `Reads the source of the benchmarks; -list lists the checks, docs/lint.md has a
wrong and a right example of each. //tare:ignore ID REASON, on the line of a
finding or above it, silences one check there. Exits with 3 when it finds
something.

Example: all packages of this module:

   tare lint ./...

Example: what would the suggested fixes change?

   tare lint -diff ./...

Example: ask the machine code whether the work is still there:

   tare lint -prove ./...

Example: the same checks inside go vet:

   go vet -vettool=$(which tare) ./...`,
		Flags: flags,
		Action: func(ctx context.Context, c *cli.Command) error {
			return runLint(ctx, s, c)
		},
	}
}

func runLint(ctx context.Context, s streams, c *cli.Command) error {
	checks, err := selectChecks(c.String("checks"))
	if err != nil {
		return err
	}
	for _, check := range checks {
		check.Flags.VisitAll(func(f *flag.Flag) {
			if name := check.Name + "." + f.Name; c.IsSet(name) && err == nil {
				err = f.Value.Set(fmt.Sprint(c.Bool(name)))
			}
		})
	}
	if err != nil {
		return err
	}
	if c.Bool("list") {
		return listChecks(s.out, checks)
	}
	format := c.String("format")
	if c.Bool("json") {
		format = "json"
	}
	if !slices.Contains([]string{"text", "json", "sarif"}, format) {
		return usagef("format %q: lint writes text, json or sarif", format)
	}
	if c.Bool("fix") && c.Bool("diff") {
		return usagef("-fix changes the files and -diff does not: give one of them")
	}

	patterns := c.Args().Slice()
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	var options lint.Options
	if tags := c.String("tags"); tags != "" {
		options.BuildFlags = []string{"-tags=" + tags}
	}
	pkgs, err := lint.Load(ctx, options, patterns...)
	if err != nil {
		return err
	}
	list, err := lint.Run(pkgs, checks)
	if err != nil {
		return err
	}
	if c.Bool("prove") {
		if list, err = proveFindings(ctx, s, options, pkgs, list); err != nil {
			return err
		}
	}
	if c.Bool("diff") || c.Bool("fix") {
		return fixFindings(s, c, list)
	}
	if err := writeTo(s.out, c.String("o"), func(w io.Writer) error {
		return writeFindings(w, format, checks, list)
	}); err != nil {
		return err
	}
	if slices.ContainsFunc(list, stands) {
		return &exitError{exitFound, nil}
	}
	return nil
}

// stands says whether a finding has not been refuted by the machine code.
func stands(d lint.Diagnostic) bool { return d.Proof == nil || d.Proof.Holds }

// selectChecks reads -checks.
func selectChecks(text string) ([]lint.Check, error) {
	all := lint.Checks()
	chosen := make(map[string]bool)
	for i, word := range strings.Split(text, ",") {
		name, without := strings.CutPrefix(strings.TrimSpace(word), "-")
		known := name == "default" || name == "all"
		for _, c := range all {
			if i == 0 && without && c.Default {
				chosen[c.Name] = true // -ID alone: the default without it
			}
			if name == c.Name || name == "all" || name == "default" && c.Default {
				chosen[c.Name], known = !without, true
			}
		}
		if without {
			delete(chosen, name)
		}
		if !known {
			return nil, usagef("checks %q: no check is called %q: see tare lint -list", text, name)
		}
	}
	return slices.DeleteFunc(all, func(c lint.Check) bool { return !chosen[c.Name] }), nil
}

func listChecks(w io.Writer, checks []lint.Check) error {
	for _, c := range checks {
		note := ""
		if !c.Default {
			note = " (off by default)"
		}
		if _, err := fmt.Fprintf(w, "%-16s %-8s %s%s\n", c.Name, c.Severity, c.Title, note); err != nil {
			return err
		}
	}
	return nil
}

// lintReport is the JSON document of lint.
type lintReport struct {
	Schema   int               `json:"schema"`
	Findings []lint.Diagnostic `json:"findings"`
}

func writeFindings(w io.Writer, format string, checks []lint.Check, list []lint.Diagnostic) error {
	switch format {
	case "json":
		if list == nil {
			list = []lint.Diagnostic{}
		}
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(lintReport{result.Schema, list})
	case "sarif":
		root, err := os.Getwd()
		if err != nil {
			return fmt.Errorf("find the current directory: %w", err)
		}
		return lint.WriteSARIF(w, version(), root, checks, list)
	}
	for _, d := range list {
		d.Subject = fmt.Sprintf("%s:%d:%d", relative(d.File), d.Line, d.Column)
		if d.Proof != nil {
			d.Message += " (machine code: " + d.Proof.Words + ")"
		}
		if _, err := fmt.Fprintln(w, d.Finding); err != nil {
			return err
		}
	}
	return nil
}

// relative names a file from the current directory when it lies under it.
func relative(file string) string {
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, file); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return file
}

// fixFindings applies the fixes, or prints what they would do, and says what
// is left for the reader.
func fixFindings(s streams, c *cli.Command, list []lint.Diagnostic) error {
	files, left, err := lint.Fix(list)
	if err != nil {
		return err
	}
	for _, f := range files {
		if c.Bool("diff") {
			name := filepath.ToSlash(relative(f.File))
			if _, err := s.out.Write(diff.Diff("a/"+name, f.Old, "b/"+name, f.New)); err != nil {
				return err
			}
		} else if err := os.WriteFile(f.File, f.New, 0o666); err != nil {
			return fmt.Errorf("fix source: %w", err)
		}
	}
	var open []lint.Diagnostic
	for _, d := range list {
		if d.Fix == nil {
			open = append(open, d)
		}
	}
	if c.Bool("diff") {
		if len(open) > 0 {
			fmt.Fprintf(s.err, "%s without a safe fix: tare lint names them\n", countOf(len(open), "finding"))
		}
		if len(list) > 0 {
			return &exitError{exitFound, nil}
		}
		return nil
	}
	fmt.Fprintf(s.err, "fixed %s\n", countOf(len(list)-len(open)-left, "finding"))
	if left > 0 {
		fmt.Fprintf(s.err, "%s in the way of another: run tare lint -fix again\n", countOf(left, "fix"))
	}
	if err := writeFindings(s.out, "text", nil, open); err != nil {
		return err
	}
	if len(open)+left > 0 {
		return &exitError{exitFound, nil}
	}
	return nil
}

func countOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if strings.HasSuffix(what, "x") {
		what += "e"
	}
	return fmt.Sprintf("%d %ss", n, what)
}
