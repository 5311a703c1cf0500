package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/finding"
	"github.com/tarebench/tare/internal/doctor"
	"github.com/tarebench/tare/internal/machine"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/formats"
	"github.com/tarebench/tare/internal/selftest"
	"github.com/tarebench/tare/internal/session"
	"github.com/tarebench/tare/internal/tune"
)

func doctorCommand(s streams) *cli.Command {
	return &cli.Command{
		Name: "doctor",
		Flags: append(formatFlags("text", "json"),
			&cli.BoolFlag{Name: "quick", Usage: "take one second, not ten"},
			&cli.BoolFlag{Name: "long", Usage: "take minutes: heat and burst credits show late"},
			&cli.BoolFlag{Name: "strict", Usage: "exit with 3 when there is a warning or worse"},
			&cli.BoolFlag{Name: "list", Usage: "list the checks and stop"},
			&cli.BoolFlag{Name: "tune", Usage: "tune the machine while COMMAND runs, or until Ctrl-C"},
			&cli.BoolFlag{Name: "n", Usage: "with -tune: print what it would do, and do nothing"},
			&cli.StringFlag{Name: "root", Usage: "look at the /proc and /sys below `DIR` and measure nothing; -tune writes there", Value: "/"},
			&cli.StringFlag{Name: "lock", Value: "fail", Usage: "while another process measures: fail (look, but measure nothing), wait, or off"},
		),
		Action: func(ctx context.Context, c *cli.Command) error { return runDoctor(ctx, s, c) },
	}
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
		return report.MachineChecks(s.out, doctor.Checks())
	}
	host := s.host
	if root := c.String("root"); root != "/" {
		host = session.Host{Tree: os.DirFS(root), Root: root}
		if !machine.Readable(host.Tree) {
			return usagef("flag -root: %s shows no machine: it needs proc/cpuinfo, proc/meminfo or sys/devices/system/cpu in it", root)
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
	d, err := diagnose(ctx, s, c, host)
	if err != nil {
		return err
	}
	if err := writeDiagnosis(s, c.String("o"), format, &d); err != nil {
		return err
	}
	if c.Bool("strict") && slices.ContainsFunc(d.Findings, func(f finding.Finding) bool { return f.Severity != finding.Info }) {
		return &exitError{code: exitFound}
	}
	return nil
}

func diagnose(ctx context.Context, s streams, c *cli.Command, host session.Host) (doctor.Diagnosis, error) {
	if root := c.String("root"); root != "/" {
		return selftest.DiagnoseTree(ctx, host.Tree, root)
	}
	o := selftest.DiagnosisOptions{Host: host, Quick: c.Bool("quick"), Long: c.Bool("long"), OnWait: onWait(s)}
	var err error
	if o.Lock, err = readLockMode(c); err != nil {
		return doctor.Diagnosis{}, err
	}
	if o.Long && s.liveTerminal() {
		fmt.Fprintln(s.err, "tare: this takes two to three minutes")
	}
	return selftest.Diagnose(ctx, o)
}

// onWait reports who is waited for.
func onWait(s streams) func(holder string) {
	return func(holder string) { fmt.Fprintf(s.err, "tare: waiting for %s\n", holder) }
}

func writeDiagnosis(s streams, file, format string, d *doctor.Diagnosis) error {
	return formats.WriteFile(s.out, file, func(w io.Writer) error {
		if format == "json" {
			return report.JSON(w, d)
		}
		return report.DiagnosisText(w, d, terminalOptions(w))
	})
}

// runTuned tunes the machine, runs command, and restores.
func runTuned(ctx context.Context, s streams, host session.Host, dry bool, command []string) (err error) {
	plan := tune.NewPlan(host.Tree)
	if dry {
		return report.TuningText(s.out, plan)
	}
	// Ctrl-C and SIGTERM end ctx already; a closed terminal must not leave
	// the machine tuned either.
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP, syscall.SIGQUIT)
	defer stop()
	tuning, err := tune.Start(host.Root, plan, func(line string) { fmt.Fprintln(s.err, "tune: "+line) })
	if err != nil {
		return err
	}
	defer func() {
		restored := tuning.Restore()
		if restored == nil {
			fmt.Fprintf(s.err, "tune: restored %d settings\n", len(tuning.Done))
		}
		err = errors.Join(err, restored)
	}()
	if len(command) == 0 {
		fmt.Fprintf(s.err, "tune: %d changed, %d refused; Ctrl-C restores\n", len(tuning.Done), len(tuning.Refused))
		<-ctx.Done()
		return nil
	}
	return runCommand(ctx, s, command, nil, tuning.Command)
}
