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

	"github.com/tarebench/tare/internal/lintdriver"
	"github.com/tarebench/tare/internal/result"
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
		Description: `Reads the source of the benchmarks; -list lists the checks, -explain ID has a
wrong and a right example of one. //tare:ignore ID REASON, on the line of a
finding or above it, silences one check there. Exits with 3 when it finds
something, with 1 when a package does not build; the others are checked all
the same.

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

// lintRun is one run of the checks.
type lintRun struct {
	checks   []lint.Check
	options  lintdriver.Options
	patterns []string
	format   string
	prove    bool
}

// findings are what a run found, and the packages that it could not read.
type findings struct {
	list   []lintdriver.Diagnostic
	broken []error
}

func runLint(ctx context.Context, s streams, c *cli.Command) error {
	if id := c.String("explain"); id != "" {
		return explainCheck(s.out, id)
	}
	o, err := readLintRun(c)
	if err != nil {
		return err
	}
	if c.Bool("list") {
		return listChecks(s.out, o.checks)
	}
	found, err := o.run(ctx, s)
	if err != nil {
		return err
	}
	if c.Bool("diff") || c.Bool("fix") {
		err = fixFindings(s, c, found.list)
	} else if err = writeTo(s.out, c.String("o"), func(w io.Writer) error {
		return o.write(w, found)
	}); err == nil && slices.ContainsFunc(found.list, stands) {
		err = &exitError{exitFound, nil}
	}
	if n := len(found.broken); n > 0 {
		return &exitError{exitFailed, fmt.Errorf("lint packages: %s not checked: fix the build, or leave them out", countOf(n, "package"))}
	}
	return err
}

func readLintRun(c *cli.Command) (lintRun, error) {
	o := lintRun{format: c.String("format"), prove: c.Bool("prove"), patterns: c.Args().Slice()}
	var err error
	if o.checks, err = selectChecks(c.String("checks")); err != nil {
		return o, err
	}
	for _, check := range o.checks {
		check.Flags.VisitAll(func(f *flag.Flag) {
			if name := check.Name + "." + f.Name; c.IsSet(name) && err == nil {
				err = f.Value.Set(fmt.Sprint(c.Bool(name)))
			}
		})
	}
	if err != nil {
		return o, err
	}
	if c.Bool("json") {
		o.format = "json"
	}
	if !slices.Contains([]string{"text", "json", "sarif"}, o.format) {
		return o, usagef("format %q: lint writes text, json or sarif", o.format)
	}
	if c.Bool("fix") && c.Bool("diff") {
		return o, usagef("-fix changes the files and -diff does not: give one of them")
	}
	if len(o.patterns) == 0 {
		o.patterns = []string{"."}
	}
	if tags := c.String("tags"); tags != "" {
		o.options.BuildFlags = []string{"-tags=" + tags}
	}
	return o, nil
}

// run checks the packages that build, and names the others on standard error.
func (o lintRun) run(ctx context.Context, s streams) (found findings, err error) {
	pkgs, broken, err := lintdriver.Load(ctx, o.options, o.patterns...)
	if err != nil {
		return found, err
	}
	for _, err := range broken {
		fmt.Fprintf(s.err, "not checked: %v\n", err)
	}
	found.broken = broken
	if found.list, err = lintdriver.Run(pkgs, o.checks); err != nil || !o.prove {
		return found, err
	}
	var unproven []error
	found.list, unproven, err = lintdriver.Prove(ctx, o.options, pkgs, found.list)
	for _, err := range unproven {
		fmt.Fprintf(s.err, "not proven: %v\n", err)
	}
	return found, err
}

// explainCheck prints the documentation of a check.
func explainCheck(w io.Writer, id string) error {
	for _, c := range lint.Checks() {
		if c.Name == id {
			_, err := io.WriteString(w, c.Help())
			return err
		}
	}
	return usagef("explain %q: no check is called that: see tare lint -list", id)
}

// stands reports whether a finding has not been refuted by the machine code.
func stands(d lintdriver.Diagnostic) bool { return d.Proof == nil || d.Proof.Holds }

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
		if _, err := fmt.Fprintf(w, "%-16s %-8s %s%s\n", c.Name, c.Severity, c.Title(), note); err != nil {
			return err
		}
	}
	return nil
}

// lintReport is the JSON document of lint.
type lintReport struct {
	Schema   int                     `json:"schema"`
	Findings []lintdriver.Diagnostic `json:"findings"`
	// Errors name the packages that were not checked.
	Errors []string `json:"errors,omitempty"`
}

func (o lintRun) write(w io.Writer, found findings) error {
	switch o.format {
	case "json":
		report := lintReport{Schema: result.Schema, Findings: found.list}
		if report.Findings == nil {
			report.Findings = []lintdriver.Diagnostic{}
		}
		for _, err := range found.broken {
			report.Errors = append(report.Errors, err.Error())
		}
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(report)
	case "sarif":
		root, err := os.Getwd()
		if err != nil {
			return fmt.Errorf("find the current directory: %w", err)
		}
		return lintdriver.SARIF{Version: version(), Root: root, Checks: o.checks, Findings: found.list, Broken: found.broken}.Write(w)
	}
	return writeText(w, found.list)
}

func writeText(w io.Writer, list []lintdriver.Diagnostic) error {
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
func fixFindings(s streams, c *cli.Command, list []lintdriver.Diagnostic) error {
	files, left, err := lintdriver.Fix(list)
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
	var open []lintdriver.Diagnostic
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
	if err := writeText(s.out, open); err != nil {
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
