package main

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/internal/finding"
)

func doctorCommand(s streams) *command {
	return verb(s, "doctor", runDoctor, flags("total strict format json", formatFlags("text", "json")...))
}

func runDoctor(ctx context.Context, s streams, c *command) error {
	format, err := readFormat(c, "text", "json")
	switch {
	case err != nil:
		return err
	case len(c.args) > 0:
		return usagef("doctor takes no arguments: tare lock runs a command alone on this machine")
	}
	total := c.duration("total")
	if !c.isGiven("total") {
		total = 2 * time.Second
	}
	d, err := s.host.Diagnose(ctx, total)
	if err != nil {
		return err
	}
	if err := writeValue(s, c, format, &d, func(w io.Writer) error { return report.DiagnosisText(w, &d, terminalOptions(w)) }); err != nil {
		return err
	}
	if c.is("strict") && slices.ContainsFunc(d.Findings, func(f finding.Finding) bool { return f.Severity != finding.Info }) {
		return &exitError{code: exitFound}
	}
	return nil
}
