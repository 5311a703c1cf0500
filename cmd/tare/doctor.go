package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/selftest"
	"github.com/tarebench/tare/internal/finding"
)

// The doctor takes one second, ten, or two to three minutes, which shows heat
// and burst credits.
const (
	usualDiagnosis = 10 * time.Second
	longDiagnosis  = 2 * time.Minute
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
	o := selftest.DiagnosisOptions{Host: s.host, Quick: c.isGiven("total") && total < usualDiagnosis, Long: total >= longDiagnosis, Lock: machine.LockFail, OnWait: onWait(s)}
	if o.Long && terminalOf(s.err).rewrites {
		fmt.Fprintln(s.err, "tare: this takes two to three minutes")
	}
	d, err := selftest.Diagnose(ctx, o)
	if err != nil {
		return err
	}
	if err := writeValue(s, c, format, d, func(w io.Writer) error { return report.DiagnosisText(w, &d, terminalOptions(w)) }); err != nil {
		return err
	}
	if c.is("strict") && slices.ContainsFunc(d.Findings, func(f finding.Finding) bool { return f.Severity != finding.Info }) {
		return &exitError{code: exitFound}
	}
	return nil
}
