package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/internal/axis"
	"github.com/tarebench/tare/internal/bisection"
	"github.com/tarebench/tare/internal/hostlock"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/formats"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/session"
	"github.com/tarebench/tare/internal/variant"
)

func bisectCommand(s streams) *cli.Command {
	return &cli.Command{
		DisableSliceFlagSeparator: true,

		Name: "bisect",
		Flags: append(formatFlags("text", "json"),
			&cli.StringFlag{Name: "bench", Value: ".", Usage: "bisect the benchmark that matches `REGEXP`; of several, the one that changed most"},
			&cli.StringFlag{Name: "of", Value: "commits", Usage: "what to search: commits, files, go, mod=`PATH` or pgo"},
			&cli.StringFlag{Name: "unit", Value: "sec/op", Usage: "bisect this unit: sec/op, B/op, allocs/op or a metric of the benchmark"},
			deltaFlag(),
			&cli.StringFlag{Name: "alpha", Value: "0.05", Usage: "error rate of each comparison"},
			&cli.StringFlag{Name: "budget", Value: session.CompareBudget.String(), Usage: "most measuring time for one comparison"},
			&cli.IntFlag{Name: "blocks", Value: 400, Usage: "measure `N` blocks at most between the ends"},
			&cli.DurationFlag{Name: "total", Usage: "end the whole search after this `TIME`, with the commits that are left"},
			&cli.BoolFlag{Name: "measure-all", Usage: "measure also commits that run the same machine code as their parent"},
			&cli.StringFlag{Name: "cpu", Usage: "GOMAXPROCS to measure with"},
			&cli.StringFlag{Name: "tags", Usage: "build tags, separated by commas"},
			&cli.DurationFlag{Name: "timeout", Value: 10 * time.Minute, Usage: "give up on a slice or a set-up that takes longer"},
			&cli.Uint64Flag{Name: "seed", HideDefault: true, Usage: "random seed; drawn and recorded by default"},
			lockFlag("wait"),
			&cli.StringFlag{Name: "resume", Usage: "resume the interrupted bisection in `FOLDER`"},
			&cli.BoolFlag{Name: "v", Usage: "report commands on standard error"},
			recordFlags()[0], recordFlags()[1],
		),
		Action: func(ctx context.Context, c *cli.Command) error { return runBisect(ctx, s, c) },
	}
}

func runBisect(ctx context.Context, s streams, c *cli.Command) error {
	format, err := readFormat(c, "text", "json")
	if err != nil {
		return err
	}
	spec, err := readBisect(ctx, s, c)
	if err != nil {
		return err
	}
	// One lock for all questions, not one for each.
	release, err := hostlock.Lock(ctx, spec.Session.Lock, onWait(s))
	if err != nil {
		return err
	}
	defer release()
	spec.Session.Lock = hostlock.Off
	watch := &bisectWatcher{watcher: newWatcher(s.err, c.Bool("v"))}
	keep, err := keeper(ctx, s, c)
	if err != nil {
		return err
	}
	var kept error
	if keep != nil {
		spec.Compared = func(comparison result.Comparison) { kept = errors.Join(kept, keep(comparison)) }
	}
	found, err := bisection.Run(ctx, spec, watch)
	watch.live.Close()
	if err := errors.Join(err, kept); err != nil {
		return err
	}
	if err := formats.WriteFile(s.out, c.String("o"), func(w io.Writer) error {
		if format == "json" {
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
	spec.Total = c.Duration("total")
	o := &spec.Session
	*o = session.Spec{Bench: c.String("bench"), Seed: c.Uint64("seed"), Timeout: c.Duration("timeout"), Blocks: session.CompareBlocks,
		Layouts: true, MeasureAll: c.Bool("measure-all"), Args: after, Command: s.typed, Host: s.host}
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
		return spec, resumeBisect(ctx, &spec, args)
	}
	ends := 2
	switch {
	case spec.Of == "pgo" && len(args) < 1:
		return spec, usagef("bisect -of pgo needs the variant that has the profile, such as: tare bisect -bench Decode -of pgo .,flags=-pgo=cpu.pprof")
	case spec.Of == "pgo":
		ends = 1
	case len(args) < 2:
		return spec, usagef("bisect needs two ends, GOOD and BAD, such as: tare bisect -bench Decode v1.4.0 HEAD")
	}
	o.Packages = packagesOf(args[ends:])
	if o.Seed == 0 {
		o.Seed = rand.Uint64()>>12 + 1
	}
	if err := listSeries(ctx, &spec, args[:ends]); err != nil {
		return spec, err
	}
	spec.Folder, err = session.NewFolder(o.Dir, "bisect", time.Now())
	return spec, err
}

// resumeBisect takes what must not change from the folder.
func resumeBisect(ctx context.Context, spec *bisection.Spec, args []string) error {
	if len(args) > 0 {
		return usagef("-resume goes on with the ends and packages of the bisection: leave %s out", args[0])
	}
	h, err := bisection.ReadHead(spec.Folder)
	if err != nil {
		return err
	}
	h.Apply(spec)
	if folder, err := filepath.Abs(spec.Folder); err == nil {
		spec.Folder = folder
	}
	switch spec.Of {
	case "files":
		return listSeries(ctx, spec, []string{h.Axis[0].Variant, h.Axis[1].Variant})
	case "pgo":
		good := h.Axis[0].Variant
		return listSeries(ctx, spec, []string{good[:max(0, strings.LastIndex(good, ",flags=-gcflags="))]})
	}
	return nil
}

// listSeries lists what to search: a series, or changes without an order.
func listSeries(ctx context.Context, spec *bisection.Spec, ends []string) error {
	specs, err := parseEnds(spec.Of, ends)
	if err != nil {
		return err
	}
	dir := spec.Session.Dir
	switch spec.Of {
	case "files":
		files, err := axis.ListFiles(ctx, axis.Run, dir, specs[0], specs[1])
		if err != nil {
			return err
		}
		spec.Changes, spec.Axis = files, []result.Point{files.Old, files.New}
		return nil
	case "pgo":
		sites, err := axis.ListCallSites(ctx, dir, spec.Session.Tags, specs[0], spec.Session.Packages)
		if err != nil {
			return err
		}
		spec.Changes, spec.Axis = sites, []result.Point{sites.Old, sites.New}
		return nil
	}
	spec.Axis, err = listAxis(ctx, spec.Of, dir, ends[0], ends[1])
	return err
}

// parseEnds parses the ends that are variants.
func parseEnds(of string, ends []string) ([]variant.Spec, error) {
	if of != "files" && of != "pgo" {
		return nil, nil
	}
	return parseVariants(ends...)
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
	return nil, usagef("flag -of: %q is none of commits, files, go, mod=PATH, pgo", of)
}

// bisectWatcher shows the posterior, and what the session does now.
type bisectWatcher struct {
	watcher
	mu   sync.Mutex // links report from goroutines of their own
	line string
}

func (w *bisectWatcher) Finished(session.Progress) {}

// Progress shows what is being done after the posterior, once there is one.
func (w *bisectWatcher) Progress(p session.Progress) {
	w.mu.Lock()
	line := w.line
	w.mu.Unlock()
	if line == "" {
		w.watcher.Progress(p)
		return
	}
	w.live.Text(line + "; " + p.Phase)
}

func (w *bisectWatcher) Posterior(p []float64, blocks int) {
	line := fmt.Sprintf("%s  %d blocks, best %.0f%%", report.PosteriorLine(p, 50), blocks, 100*slices.Max(p))
	w.mu.Lock()
	w.line = line
	w.mu.Unlock()
	w.live.Text(line)
}
