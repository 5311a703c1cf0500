package lintdriver

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/cmd/tare/lint"
)

// Report is what a run of the checks found.
type Report struct {
	Findings []Diagnostic
	// Broken name the packages that were not checked, Unproven those whose
	// machine code was not read.
	Broken, Unproven []error
	// Dir is the folder from which text names files.
	Dir string
}

// Check loads packages and runs checks over those that build. With prove, it
// compares the findings with the machine code.
func Check(ctx context.Context, o Options, checks []lint.Check, prove bool, patterns ...string) (r Report, err error) {
	if r.Dir, err = os.Getwd(); err != nil {
		return r, fmt.Errorf("find working folder: %w", err)
	}
	pkgs, broken, err := Load(ctx, o, patterns...)
	if err != nil {
		return r, err
	}
	r.Broken = broken
	if r.Findings, err = Run(pkgs, checks); err == nil && prove {
		r.Findings, r.Unproven, err = Prove(ctx, o, pkgs, r.Findings)
	}
	return r, err
}

// Stands reports whether a finding is left that the machine code has not
// refuted.
func (r Report) Stands() bool {
	return slices.ContainsFunc(r.Findings, func(d Diagnostic) bool { return d.Proof == nil || d.Proof.Holds })
}

// Formats are the formats of a report.
func Formats() []string { return []string{"text", "json", "sarif", "gitlab"} }

// Write writes the report in one of [Formats]. Checks and the version of tare are
// named in it where the format has a place for them.
func (r Report) Write(w io.Writer, format string, checks []lint.Check, version string) error {
	switch format {
	case "json":
		return r.writeJSON(w)
	case "gitlab":
		return r.writeCodeQuality(w)
	case "sarif":
		return r.writeSARIF(w, checks, version)
	}
	return r.writeText(w)
}

// writeText writes a line for each finding.
func (r Report) writeText(w io.Writer) error {
	for _, d := range r.Findings {
		d.Subject = fmt.Sprintf("%s:%d:%d", r.relative(d.File), d.Line, d.Column)
		if d.Proof != nil {
			d.Message += " (machine code: " + d.Proof.Words + ")"
		}
		if _, err := fmt.Fprintln(w, d.Finding); err != nil {
			return err
		}
	}
	return nil
}

// writeJSON writes the JSON document of lint.
func (r Report) writeJSON(w io.Writer) error {
	document := struct {
		Schema   int          `json:"schema"`
		Findings []Diagnostic `json:"findings"`
		Errors   []string     `json:"errors,omitempty"`
	}{Schema: result.Schema, Findings: r.Findings}
	if document.Findings == nil {
		document.Findings = []Diagnostic{}
	}
	for _, err := range r.Broken {
		document.Errors = append(document.Errors, err.Error())
	}
	return result.WriteJSON(w, document)
}

// withoutFix is the report of the findings without a fix.
func (r Report) withoutFix() Report {
	r.Findings = slices.DeleteFunc(slices.Clone(r.Findings), func(d Diagnostic) bool { return d.Fix != nil })
	return r
}

// ProposeFixes writes what the fixes would change to out, and to log how many
// findings have none. Open reports whether there is a finding.
func (r Report) ProposeFixes(out, log io.Writer) (open bool, err error) {
	if n := len(r.withoutFix().Findings); n > 0 {
		fmt.Fprintf(log, "%s without a safe fix: tare lint names them\n", words.Plural(n, "finding"))
	}
	files, _, err := Fix(r.Findings)
	if err != nil {
		return false, err
	}
	for _, f := range files {
		name := filepath.ToSlash(r.relative(f.File))
		if _, err := out.Write(diff.Diff("a/"+name, f.Old, "b/"+name, f.New)); err != nil {
			return false, err
		}
	}
	return len(r.Findings) > 0, nil
}

// ApplyFixes changes the files, and writes the findings without a fix to out.
// Open reports whether there is one, or a fix that waits for the next run
// because it overlaps another one.
func (r Report) ApplyFixes(out, log io.Writer) (open bool, err error) {
	files, left, err := Fix(r.Findings)
	if err != nil {
		return false, err
	}
	for _, f := range files {
		if err := os.WriteFile(f.File, f.New, 0o666); err != nil {
			return false, fmt.Errorf("fix source: %w", err)
		}
	}
	rest := r.withoutFix()
	fmt.Fprintf(log, "fixed %s\n", words.Plural(len(r.Findings)-len(rest.Findings)-left, "finding"))
	if left > 0 {
		fmt.Fprintf(log, "%s not applied because another one changes the same lines: run tare lint -fix again\n", words.Plural(left, "fix"))
	}
	return len(rest.Findings)+left > 0, rest.writeText(out)
}

// relative names a file from the working folder when it lies in it.
func (r Report) relative(file string) string {
	if rel, err := filepath.Rel(r.Dir, file); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return file
}
