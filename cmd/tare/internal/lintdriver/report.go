package lintdriver

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/lint"
)

// Report contains the findings of a run of the checks.
type Report struct {
	Findings []Diagnostic
	// Broken lists the packages that were not checked.
	Broken []error
	// Dir is the directory to which file names in text are relative.
	Dir string
}

// Check loads packages and checks the ones that build.
func Check(ctx context.Context, o Options, checks []lint.Check, patterns ...string) (r Report, err error) {
	if r.Dir, err = os.Getwd(); err != nil {
		return r, fmt.Errorf("find working directory: %w", err)
	}
	pkgs, broken, err := Load(ctx, o, patterns...)
	if err != nil {
		return r, err
	}
	r.Broken = broken
	r.Findings, err = Run(pkgs, checks)
	return r, err
}

// Formats are the formats of a report.
func Formats() []string { return []string{"text", "json"} }

// Write writes the report in one of [Formats].
func (r Report) Write(w io.Writer, format string) error {
	if format == "json" {
		return r.writeJSON(w)
	}
	return r.writeText(w)
}

func (r Report) writeText(w io.Writer) error {
	for _, d := range r.Findings {
		place := fmt.Sprintf("%s:%d:%d", r.relative(d.File), d.Line, d.Column)
		switch {
		case d.Package != "": // the subject is the place of a check
			d.Subject = place
		case d.File != "":
			d.Subject = place + ": " + d.Subject
		}
		if _, err := fmt.Fprintln(w, d.Finding); err != nil {
			return err
		}
	}
	return nil
}

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

func (r Report) relative(file string) string {
	if rel, err := filepath.Rel(r.Dir, file); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return file
}
