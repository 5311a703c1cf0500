package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/smoke"
)

func smokeCommand(s streams) *cli.Command {
	return &cli.Command{
		Name:      "smoke",
		Usage:     "run every benchmark once: which are broken?",
		ArgsUsage: "[packages]",
		Description: `Runs each benchmark in a process of its own, with one iteration, and reports
which fail, panic, exit or hang, and which leave goroutines running or files
behind. Packages run in parallel, the benchmarks of a package in turn. It
measures nothing, and the test cache stays as it is.

Exits with 1 when a benchmark is broken, with 3 when one leaves something
behind.

Example: all benchmarks of this module:

   tare smoke ./...

Example: only some, with more time for each:

   tare smoke -bench Encode -timeout 5m ./...`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "bench", Usage: "run the benchmark functions that match `REGEXP`"},
			&cli.DurationFlag{Name: "timeout", Value: time.Minute, Usage: "end a benchmark that takes longer"},
			&cli.IntFlag{Name: "p", Value: runtime.NumCPU(), Usage: "packages to run at the same time"},
			&cli.StringFlag{Name: "tags", Usage: "build tags, separated by commas"},
			&cli.BoolFlag{Name: "v", Usage: "list the benchmarks that are in order too"},
			&cli.StringFlag{Name: "format", Value: "text", Usage: "text or json"},
			&cli.BoolFlag{Name: "json", Usage: "short for -format json"},
			&cli.StringFlag{Name: "o", Usage: "write to `FILE`, not to standard output"},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			return runSmoke(ctx, s, c)
		},
	}
}

func runSmoke(ctx context.Context, s streams, c *cli.Command) error {
	format := c.String("format")
	if c.Bool("json") {
		format = "json"
	}
	if !slices.Contains([]string{"text", "json"}, format) {
		return usagef("format %q: smoke writes text or json", format)
	}
	o := smoke.Options{Bench: c.String("bench"), Timeout: c.Duration("timeout"), Parallel: c.Int("p")}
	if tags := c.String("tags"); tags != "" {
		o.BuildFlags = []string{"-tags=" + tags}
	}
	patterns := c.Args().Slice()
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	packages, err := smoke.List(ctx, o, patterns...)
	if err != nil {
		return err
	}
	results, err := smoke.Run(ctx, o, packages, func(r smoke.Result) {
		if r.Outcome.Broken() {
			fmt.Fprintf(s.err, "%s %s: %s\n%s\n", r.Package, r.Benchmark, r.Outcome, indent(lastLines(r.Output, 20)))
		}
	})
	if err != nil {
		return err
	}
	if len(results) == 0 {
		return fmt.Errorf("run benchmarks: %s have none that match", strings.Join(patterns, " "))
	}
	if err := writeTo(s.out, c.String("o"), func(w io.Writer) error {
		if format == "json" {
			return writeSmokeJSON(w, results)
		}
		return writeSmoke(w, results, c.Bool("v"))
	}); err != nil {
		return err
	}
	switch {
	case slices.ContainsFunc(results, func(r smoke.Result) bool { return r.Outcome.Broken() }):
		return &exitError{exitFailed, nil}
	case slices.ContainsFunc(results, smoke.Result.Leaks):
		return &exitError{exitFound, nil}
	}
	return nil
}

// smokeReport is the JSON document of smoke.
type smokeReport struct {
	Schema  int            `json:"schema"`
	Results []smoke.Result `json:"benchmarks"`
}

func writeSmokeJSON(w io.Writer, results []smoke.Result) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(smokeReport{result.Schema, results})
}

// writeSmoke writes a table of the benchmarks that are not in order, or of all.
func writeSmoke(w io.Writer, results []smoke.Result, all bool) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	count := make(map[smoke.Outcome]int)
	leaks, rows := 0, 0
	for _, r := range results {
		count[r.Outcome]++
		if r.Leaks() {
			leaks++
		}
		if !all && r.Outcome == smoke.OK && !r.Leaks() {
			continue
		}
		if rows == 0 {
			fmt.Fprintln(tw, "package\tbenchmark\toutcome\texit\ttime\tleft behind")
		}
		rows++
		exit := fmt.Sprint(r.Exit)
		if r.Exit < 0 {
			exit = "killed"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%.1fs\t%s\n", r.Package, r.Benchmark, r.Outcome, exit, r.Seconds, leftBehind(r))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	var words []string
	for _, o := range []smoke.Outcome{smoke.OK, smoke.Skipped, smoke.Failed, smoke.Panicked, smoke.Exited, smoke.TimedOut, smoke.NoBuild} {
		if count[o] > 0 {
			words = append(words, fmt.Sprintf("%d %s", count[o], o))
		}
	}
	if leaks > 0 {
		words = append(words, fmt.Sprintf("%d leaving something behind", leaks))
	}
	_, err := fmt.Fprintln(w, strings.Join(words, ", "))
	return err
}

func leftBehind(r smoke.Result) string {
	var words []string
	if r.Goroutines > 0 {
		words = append(words, countOf(r.Goroutines, "goroutine")+" of "+strings.Join(r.StartedBy, ", "))
	}
	if len(r.Files) > 0 {
		names := r.Files
		if len(names) > 3 {
			names = append(slices.Clone(names[:3]), fmt.Sprintf("%d more", len(r.Files)-3))
		}
		words = append(words, countOf(len(r.Files), "file")+": "+strings.Join(names, ", "))
	}
	return strings.Join(words, "; ")
}

// lastLines returns the last n lines of a text.
func lastLines(text string, n int) string {
	lines := strings.Split(text, "\n")
	if len(lines) > n {
		lines = append([]string{"…"}, lines[len(lines)-n:]...)
	}
	return strings.Join(lines, "\n")
}

func indent(text string) string { return "    " + strings.ReplaceAll(text, "\n", "\n    ") }
