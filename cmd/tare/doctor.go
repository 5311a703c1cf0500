package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/selftest"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/internal/finding"
)

func doctorCommand(s streams) *cli.Command {
	return verb(s, "doctor", runDoctor, append(formatFlags("text", "json"),
		&cli.BoolFlag{Name: "quick", Usage: "take one second, not ten"},
		&cli.BoolFlag{Name: "long", Usage: "take minutes: heat and burst credits show late"},
		&cli.BoolFlag{Name: "strict", Usage: "exit with 3 when there is a warning or worse"},
		&cli.BoolFlag{Name: "list", Usage: "list the checks and stop"},
		&cli.StringFlag{Name: "root", Usage: "look at the /proc and /sys below `DIR` and measure nothing", Value: "/"},
		&cli.StringFlag{Name: "lock", Value: "fail", Usage: "while another process measures: fail (look, but measure nothing), wait, or off"},
	))
}

func runDoctor(ctx context.Context, s streams, c *cli.Command) error {
	format, err := readFormat(c, "text", "json")
	switch {
	case err != nil:
		return err
	case c.Bool("quick") && c.Bool("long"):
		return usagef("-quick and -long are two lengths: give one of them")
	case c.Args().Present():
		return usagef("doctor takes no arguments: tare lock runs a command alone on this machine")
	case c.Bool("list"):
		return report.MachineChecks(s.out, machine.Checks())
	}
	host := s.host
	if root := c.String("root"); root != "/" {
		if host, err = session.HostAt(root); err != nil {
			return usagef("flag -root: %w", err)
		}
	}
	o := selftest.DiagnosisOptions{Host: host, Quick: c.Bool("quick"), Long: c.Bool("long"), OnWait: onWait(s)}
	if o.Lock, err = readFlag(c, "lock", machine.ParseLockMode); err != nil {
		return err
	}
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
	if c.Bool("strict") && slices.ContainsFunc(d.Findings, func(f finding.Finding) bool { return f.Severity != finding.Info }) {
		return &exitError{code: exitFound}
	}
	return nil
}
