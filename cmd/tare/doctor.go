package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/finding"
	"github.com/tarebench/tare/internal/doctor"
	"github.com/tarebench/tare/internal/hostlock"
	"github.com/tarebench/tare/internal/machine"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/selftest"
	"github.com/tarebench/tare/internal/session"
	"github.com/tarebench/tare/internal/tune"
)

func doctorCommand(s streams) *cli.Command {
	return &cli.Command{
		Name:      "doctor",
		Usage:     "is this machine fit to measure? what to do",
		ArgsUsage: "[-- COMMAND]",
		Description: `Watches and measures the machine for less than ten seconds, and says what
stands in the way of measuring and what to do about it.

With -tune (as root) it sets governor, frequency, boost and CPUs for
measuring, runs COMMAND (or waits for Ctrl-C), and restores everything; what a
killed run leaves behind, the next doctor restores.

Example: what stands in the way here?

   tare doctor

Example: fail a script on a machine that is not fit to measure:

   tare doctor -quick -strict

Example: tune while a command runs, and restore:

   sudo tare doctor -tune -- go test -bench . ./...`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "quick", Usage: "take one second, not ten"},
			&cli.BoolFlag{Name: "long", Usage: "take minutes: heat and burst credits show late"},
			&cli.BoolFlag{Name: "strict", Usage: "exit with 3 when there is a warning or worse"},
			&cli.BoolFlag{Name: "list", Usage: "list the checks and stop"},
			&cli.BoolFlag{Name: "tune", Usage: "tune the machine while COMMAND runs, or until Ctrl-C"},
			&cli.BoolFlag{Name: "n", Usage: "with -tune: print what it would do, and do nothing"},
			&cli.StringFlag{Name: "root", Usage: "look at the /proc and /sys below `DIR` and measure nothing; -tune writes there", Value: "/"},
			&cli.StringFlag{Name: "lock", Value: "fail", Usage: "while another process measures: fail (look, but measure nothing), wait, or off"},
			&cli.StringFlag{Name: "format", Value: "text", Usage: "text or json"},
			&cli.BoolFlag{Name: "json", Usage: "short for -format json"},
			&cli.StringFlag{Name: "o", Usage: "write to `FILE`, not to standard output"},
		},
		Action: func(ctx context.Context, c *cli.Command) error { return runDoctor(ctx, s, c) },
	}
}

func runDoctor(ctx context.Context, s streams, c *cli.Command) error {
	format := c.String("format")
	if c.Bool("json") {
		format = "json"
	}
	switch {
	case format != "text" && format != "json":
		return usagef("format %q: doctor writes text or json", format)
	case c.Bool("quick") && c.Bool("long"):
		return usagef("-quick and -long are two lengths: give one of them")
	case c.Bool("n") && !c.Bool("tune"):
		return usagef("-n says what -tune would do: give -tune too")
	case c.Args().Present() && !c.Bool("tune"):
		return usagef("doctor runs a command only with -tune: see tare lock for the lock alone")
	case c.Bool("list"):
		return listMachineChecks(s.out)
	}
	host := s.host
	if root := c.String("root"); root != "/" {
		host = session.Host{Tree: os.DirFS(root), Root: root}
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
	d, err := diagnose(ctx, s, c, host.Tree)
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

// effortOf is how long each part takes. What the default leaves of its ten
// seconds is for the lockstep comparison of a benchmark with itself.
func effortOf(c *cli.Command) doctor.Effort {
	switch {
	case c.String("root") != "/":
		return doctor.Effort{}
	case c.Bool("quick"):
		return doctor.Effort{Watch: 300 * time.Millisecond, Spin: 300 * time.Millisecond}
	case c.Bool("long"):
		return doctor.Effort{Watch: 10 * time.Second, Spin: 30 * time.Second, Together: 90 * time.Second}
	}
	return doctor.Effort{Watch: 600 * time.Millisecond, Spin: 600 * time.Millisecond, Together: 300 * time.Millisecond}
}

func diagnose(ctx context.Context, s streams, c *cli.Command, root fs.FS) (doctor.Diagnosis, error) {
	if c.String("root") != "/" {
		d, err := doctor.Diagnose(ctx, root, doctor.Effort{}, nil)
		d.Machine.OS, d.Machine.Arch = "", "" // those of this program
		d.Skipped = "this is the tree " + c.String("root")
		return d, err
	}
	effort := effortOf(c)
	mode, err := readLockMode(c)
	if err != nil {
		return doctor.Diagnosis{}, err
	}
	locker := hostlock.Default()
	release, err := locker.Lock(ctx, mode, onWait(s))
	holder := ""
	if errors.Is(err, hostlock.ErrHeld) {
		// To measure now would disturb whoever measures.
		holder, effort = locker.Holder(), doctor.Effort{Watch: effort.Watch}
		release, err = func() {}, nil
	}
	if err != nil {
		return doctor.Diagnosis{}, err
	}
	defer release()
	if c.Bool("long") && liveOptions(s.err).Terminal {
		fmt.Fprintln(s.err, "tare: this takes two to three minutes")
	}
	began := time.Now()
	predict := holder == "" && !c.Bool("quick")
	var smallest result.Estimate
	var unpredicted error
	d, err := doctor.Diagnose(ctx, root, effort, func(o *doctor.Observation) {
		settings, err := machine.GoSettings(ctx, output, os.Getenv)
		if err == nil {
			o.Machine.Go = settings
			o.BuildFlags = strings.Fields(settings["GOFLAGS"])
		}
		o.LockHolder = holder
		dir, _ := os.Getwd()
		o.Disks = doctor.DisksOf(dir, os.TempDir())
		if predict {
			smallest, unpredicted = selftest.SmallestChange(ctx, s.host, began.Add(comparedUntil(c)))
		}
	})
	switch {
	case err != nil:
		return d, err
	case holder != "":
		d.Skipped = "another process measures now"
	case !predict:
		d.Unpredicted = "-quick does not measure it"
	case ctx.Err() != nil:
		return d, context.Cause(ctx)
	case unpredicted != nil:
		d.Unpredicted = unpredicted.Error()
	default:
		d.SmallestChange = &smallest
	}
	return d, nil
}

// comparedUntil is how long after the start the comparison of a benchmark with
// itself may end. The spins come behind it: they keep all CPUs busy, and the
// comparison is to meet the machine as compare will.
func comparedUntil(c *cli.Command) time.Duration {
	if c.Bool("long") {
		return 2 * time.Minute
	}
	return 7800 * time.Millisecond
}

func output(ctx context.Context, name string, args ...string) ([]byte, error) {
	return exec.CommandContext(ctx, name, args...).Output()
}

// onWait tells who is waited for.
func onWait(s streams) func(holder string) {
	return func(holder string) { fmt.Fprintf(s.err, "tare: waiting for %s\n", holder) }
}

func writeDiagnosis(s streams, file, format string, d *doctor.Diagnosis) error {
	return writeTo(s.out, file, func(w io.Writer) error {
		if format == "json" {
			return report.JSON(w, d)
		}
		return report.DiagnosisText(w, d, terminalOptions(w))
	})
}

// listMachineChecks prints each check: its id and the first line of its doc,
// indented below it why it matters.
func listMachineChecks(w io.Writer) error {
	for i, check := range doctor.Checks() {
		title, why, _ := strings.Cut(check.Doc, "\n\n")
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s: %s\n", check.ID, title)
		for line := range strings.Lines(strings.TrimSpace(why)) {
			fmt.Fprintf(w, "    %s", line)
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	return nil
}

// runTuned tunes the machine, runs command, and restores.
func runTuned(ctx context.Context, s streams, host session.Host, dry bool, command []string) (err error) {
	plan := tune.NewPlan(host.Tree)
	if dry {
		for _, c := range plan.Changes {
			fmt.Fprintf(s.out, "would change %s\n", c)
		}
		if len(plan.Changes) == 0 {
			fmt.Fprintln(s.out, "would change nothing")
		}
		for _, r := range plan.Refusals {
			fmt.Fprintf(s.out, "cannot: %s\n", r)
		}
		return nil
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
