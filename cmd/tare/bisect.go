package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/internal/axis"
	"github.com/tarebench/tare/internal/bisection"
	"github.com/tarebench/tare/internal/hostlock"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/session"
)

func bisectCommand(s streams) *cli.Command {
	return &cli.Command{
		DisableSliceFlagSeparator: true,

		Name:      "bisect",
		Usage:     "which commit changed a benchmark? Also: which version of a dependency, which release of Go",
		ArgsUsage: "GOOD BAD [packages] [-- arguments of the test binary]",
		Description: `Compares the two ends, then measures the commits between them against the good
end until one of them brings the change with 95% probability, and confirms it
against its parent with fresh blocks. Commits that do not build are skipped, as
git bisect skip does.

Example: which commit made Decode slower?

   tare bisect -bench Decode v1.4.0 HEAD

Example: which release of a dependency, of Go?

   tare bisect -bench Decode -of mod=golang.org/x/text v0.30.0 v0.43.0
   tare bisect -bench Decode -of go go1.24.9 go1.27.1`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "bench", Value: ".", Usage: "bisect the benchmark that matches `REGEXP`; of several, the one that changed most"},
			&cli.StringFlag{Name: "of", Value: "commits", Usage: "what to search: commits, go, or mod=`PATH`"},
			&cli.StringFlag{Name: "unit", Value: "sec/op", Usage: "bisect this unit: sec/op, B/op, allocs/op or a metric of the benchmark"},
			&cli.StringFlag{Name: "delta", Value: "2%", Usage: "changes smaller than this are no change"},
			&cli.StringFlag{Name: "alpha", Value: "0.05", Usage: "error rate of each comparison"},
			&cli.StringFlag{Name: "budget", Value: session.CompareBudget.String(), Usage: "most measuring time for one comparison"},
			&cli.IntFlag{Name: "blocks", Value: 400, Usage: "measure `N` blocks at most between the ends"},
			&cli.StringFlag{Name: "cpu", Usage: "GOMAXPROCS to measure with"},
			&cli.StringFlag{Name: "tags", Usage: "build tags, separated by commas"},
			&cli.DurationFlag{Name: "timeout", Value: 10 * time.Minute, Usage: "give up on a slice or a set-up that takes longer"},
			&cli.Uint64Flag{Name: "seed", HideDefault: true, Usage: "random seed; drawn and recorded by default"},
			&cli.StringFlag{Name: "lock", Value: "wait", Usage: "while another process measures on this machine: wait, fail or off"},
			&cli.StringFlag{Name: "resume", Usage: "resume the interrupted bisection in `FOLDER`"},
			&cli.StringFlag{Name: "format", Value: "text", Usage: "text or json"},
			&cli.BoolFlag{Name: "json", Usage: "short for -format json"},
			&cli.StringFlag{Name: "o", Usage: "write to `FILE`, not to standard output"},
			&cli.BoolFlag{Name: "v", Usage: "report commands on standard error"},
		},
		Action: func(ctx context.Context, c *cli.Command) error { return runBisect(ctx, s, c) },
	}
}

func runBisect(ctx context.Context, s streams, c *cli.Command) error {
	spec, err := readBisect(ctx, s, c)
	if err != nil {
		return err
	}
	if c.String("format") != "text" && c.String("format") != "json" {
		return usagef("flag -format: %q is none of text, json", c.String("format"))
	}
	if err := writable(c.String("o")); err != nil {
		return err
	}
	// One lock for all questions, not one for each.
	release, err := hostlock.Lock(ctx, spec.Session.Lock, onWait(s))
	if err != nil {
		return err
	}
	defer release()
	spec.Session.Lock = hostlock.Off
	watch := bisectWatcher{newWatcher(s.err, c.Bool("v")), s.err}
	found, err := bisection.Run(ctx, spec, watch)
	watch.live.Close()
	if err != nil {
		return err
	}
	if err := writeTo(s.out, c.String("o"), func(w io.Writer) error {
		if c.Bool("json") || c.String("format") == "json" {
			return report.JSON(w, found)
		}
		return report.BisectionText(w, found)
	}); err != nil {
		return err
	}
	switch {
	case len(found.Steps) > 0:
		return &exitError{code: exitFound}
	case found.Same:
		return nil
	}
	return &exitError{code: exitUndecided}
}

// readBisect reads what to search.
func readBisect(ctx context.Context, s streams, c *cli.Command) (spec bisection.Spec, err error) {
	args, after := splitDash(c, s.typed)
	spec.Of, spec.Unit, spec.MaxBlocks, spec.Folder = c.String("of"), c.String("unit"), c.Int("blocks"), c.String("resume")
	o := &spec.Session
	*o = session.Spec{Bench: c.String("bench"), Seed: c.Uint64("seed"), Timeout: c.Duration("timeout"), Blocks: session.CompareBlocks,
		Layouts: true, MeasureAll: true, Args: after, Command: s.typed, Host: s.host}
	if t := c.String("tags"); t != "" {
		o.Tags = strings.Split(t, ",")
	}
	if o.Alpha, err = readAlpha(c); err != nil {
		return spec, err
	}
	if o.Delta, err = readDelta(c); err != nil {
		return spec, err
	}
	if o.Budget, err = time.ParseDuration(c.String("budget")); err != nil || o.Budget <= 0 {
		return spec, usagef("flag -budget: %q is not a duration such as 10s", c.String("budget"))
	}
	if spec.MaxBlocks < 1 {
		return spec, usagef("flag -blocks: %d is less than 1", spec.MaxBlocks)
	}
	if o.Procs, err = readProcs(c.String("cpu")); err != nil {
		return spec, err
	}
	if o.Lock, err = readLockMode(c); err != nil {
		return spec, err
	}
	if o.Dir, err = os.Getwd(); err != nil {
		return spec, fmt.Errorf("find working folder: %w", err)
	}
	if spec.Folder != "" {
		return spec, resumeBisect(&spec, args)
	}
	if len(args) < 2 {
		return spec, usagef("bisect needs two ends, GOOD and BAD, such as: tare bisect -bench Decode v1.4.0 HEAD")
	}
	if o.Packages = args[2:]; len(o.Packages) == 0 {
		o.Packages = []string{"."}
	}
	if o.Seed == 0 {
		o.Seed = rand.Uint64()>>12 + 1
	}
	if spec.Axis, err = listAxis(ctx, spec.Of, o.Dir, args[0], args[1]); err != nil {
		return spec, err
	}
	spec.Folder, err = session.NewFolder(o.Dir, "bisect", time.Now())
	return spec, err
}

// resumeBisect takes what must not change from the folder.
func resumeBisect(spec *bisection.Spec, args []string) error {
	if len(args) > 0 {
		return usagef("-resume goes on with the ends and packages of the bisection: leave %s out", args[0])
	}
	h, err := bisection.ReadHead(spec.Folder)
	if err != nil {
		return err
	}
	o := &spec.Session
	spec.Of, spec.Axis, spec.Unit = h.Of, h.Axis, h.Unit
	o.Bench, o.Packages, o.Seed, o.Delta = h.Bench, h.Packages, h.Seed, h.Delta
	return nil
}

func listAxis(ctx context.Context, of, dir, good, bad string) ([]result.Point, error) {
	path, isModule := strings.CutPrefix(of, "mod=")
	switch {
	case isModule && path != "":
		return axis.Module(ctx, axis.Run, dir, path, good, bad)
	case of == "go":
		return axis.Releases(ctx, axis.Run, dir, good, bad)
	case of == "commits":
		specs, err := parseVariants(good, bad)
		if err != nil {
			return nil, err
		}
		return axis.Commits(ctx, axis.Run, dir, specs[0], specs[1])
	}
	return nil, usagef("flag -of: %q is none of commits, go, mod=PATH", of)
}

// bisectWatcher shows the posterior instead of the progress of each session.
type bisectWatcher struct {
	watcher
	to io.Writer
}

func (w bisectWatcher) Finished(session.Progress) {}

func (w bisectWatcher) Posterior(p []float64, blocks int) {
	best := slices.Max(p)
	w.live.Text(fmt.Sprintf("%s  %d blocks, best %.0f%%", report.PosteriorLine(p, 50), blocks, 100*best))
}
