package main

import (
	"context"
	"fmt"
	"io"
	"os/signal"
	"slices"
	"syscall"

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
		&cli.BoolFlag{Name: "tune", Usage: "tune the machine while COMMAND runs, or until Ctrl-C"},
		&cli.BoolFlag{Name: "n", Usage: "with -tune: print what it would do, and do nothing"},
		&cli.StringFlag{Name: "root", Usage: "look at the /proc and /sys below `DIR` and measure nothing; -tune writes there", Value: "/"},
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
	case c.Bool("n") && !c.Bool("tune"):
		return usagef("-n says what -tune would do: give -tune too")
	case c.Args().Present() && !c.Bool("tune"):
		return usagef("doctor runs a command only with -tune: see tare lock for the lock alone")
	case c.Bool("list"):
		return report.MachineChecks(s.out, machine.Checks())
	}
	host := s.host
	if root := c.String("root"); root != "/" {
		if host, err = session.HostAt(root); err != nil {
			return usagef("flag -root: %w", err)
		}
	}
	repaired, err := host.Repair()
	for _, line := range repaired {
		fmt.Fprintln(s.err, line)
	}
	if err != nil {
		return err
	}
	if c.Bool("tune") {
		return runTuned(ctx, s, host, c.Bool("n"), c.Args().Slice())
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

// runTuned tunes the machine, runs command, and restores.
func runTuned(ctx context.Context, s streams, host session.Host, dry bool, command []string) error {
	plan := machine.PlanTuning(host.Tree)
	if dry {
		return report.TuningText(s.out, plan)
	}
	// Ctrl-C and SIGTERM end ctx already; a closed terminal must not leave
	// the machine tuned either.
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP, syscall.SIGQUIT)
	defer stop()
	write := func(line string) { fmt.Fprintln(s.err, "tune: "+line) }
	return machine.WhileTuned(host.Root, plan, write, func(t *machine.Tuning) error {
		if len(command) > 0 {
			return runCommand(ctx, s, command, t.Command)
		}
		write(fmt.Sprintf("%d changed, %d refused; Ctrl-C restores", len(t.Done), len(t.Refused)))
		<-ctx.Done()
		return nil
	})
}
