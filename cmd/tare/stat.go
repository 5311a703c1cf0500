package main

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/count"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/result"
	"github.com/tarebench/tare/result/benchfile"
)

func statCommand(s streams) *cli.Command {
	return &cli.Command{
		Name:      "stat",
		Usage:     "tables from benchmark files: what they show, and what they cannot",
		ArgsUsage: "[label=]FILE…",
		Description: `Reads files of go test -bench output (plain, -v, -json, gzip, zstd, UTF-16; "-" is
standard input) or result.jsonl files of tare, and compares each with the first.
Keys, filters and projections have the syntax of benchstat. See docs/stat.md.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "filter", Usage: "use only the benchmarks that match `QUERY`"},
			&cli.StringFlag{Name: "table", Usage: "split into tables by `KEYS` (default .config, less what only tells the files apart)"},
			&cli.StringFlag{Name: "row", Usage: "split into rows by `KEYS` (default .fullname)"},
			&cli.StringFlag{Name: "col", Usage: "compare across `KEYS` (default .file)"},
			&cli.StringFlag{Name: "ignore", Usage: "leave `KEYS` out of the grouping"},
			&cli.FloatFlag{Name: "alpha", Value: 0.05, Usage: "error rate of the verdicts over each table"},
			&cli.FloatFlag{Name: "confidence", Value: 0.95, Usage: "confidence of the interval of each median"},
			&cli.StringFlag{Name: "delta", Value: "2%", Usage: "changes within ±`SHARE` are the same"},
			&cli.StringFlag{Name: "against", Value: "first", Usage: "compare each column with the `first` or with the previous one"},
			&cli.StringFlag{Name: "format", Value: "text", Usage: "text, json, csv, markdown, or benchstat (its layout, for scripts that parse it)"},
			&cli.BoolFlag{Name: "json", Usage: "short for -format json"},
			&cli.StringFlag{Name: "o", Usage: "write to `FILE`, not to standard output"},
			&cli.BoolFlag{Name: "gate", Usage: "exit 3 if something is slower beyond delta, 4 if that is not excluded"},
		},
		Action: func(_ context.Context, c *cli.Command) error { return runStat(s, c) },
	}
}

func runStat(s streams, c *cli.Command) error {
	options, format, err := statOptions(c)
	if err != nil {
		return err
	}
	if !c.Args().Present() {
		return usagef("stat needs a file: tare stat [flags] [label=]FILE…")
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50) // less memory, for some milliseconds at 200,000 lines
	}
	files, err := benchfile.ReadAll(benchfile.Inputs(c.Args().Slice()), s.in)
	if err != nil {
		return err
	}
	out, err := statResult(files, options, c.IsSet("delta"))
	if err != nil {
		return err
	}
	if format == "benchstat" && out.tables == nil {
		return usagef("-format benchstat lays out samples, and %s is a paired study: read its benchmark.txt instead", files[0].Path)
	}
	if c.Bool("gate") && out.comparison == nil {
		return usagef("-gate needs two sides: name two files, or a key in -col that has two values")
	}
	if err := writeTo(s.out, c.String("o"), func(w io.Writer) error { return out.write(w, format) }); err != nil {
		return err
	}
	if c.Bool("gate") {
		return gateExit(out.comparison)
	}
	return nil
}

// statOptions reads the flags.
func statOptions(c *cli.Command) (o compare.FileOptions, format string, err error) {
	o = compare.FileOptions{
		Filter: c.String("filter"), Table: c.String("table"), Row: c.String("row"), Col: c.String("col"), Ignore: c.String("ignore"),
		Alpha: c.Float("alpha"), Confidence: c.Float("confidence"),
	}
	if o.Delta, err = parseShare(c.String("delta")); err != nil {
		return o, "", usagef("-delta %s: %v", c.String("delta"), err)
	}
	if !(o.Alpha > 0 && o.Alpha < 1) {
		return o, "", usagef("-alpha %v: it lies between 0 and 1", o.Alpha)
	}
	if !(o.Confidence > 0 && o.Confidence < 1) {
		return o, "", usagef("-confidence %v: it lies between 0 and 1", o.Confidence)
	}
	switch c.String("against") {
	case "first":
	case "previous":
		o.Previous = true
	default:
		return o, "", usagef("-against %s: first or previous", c.String("against"))
	}
	format = c.String("format")
	if c.Bool("json") {
		format = "json"
	}
	if !slices.Contains([]string{"text", "json", "csv", "markdown", "benchstat"}, format) {
		return o, "", usagef("-format %s: text, json, csv, markdown or benchstat", format)
	}
	if format == "benchstat" && o.Previous {
		return o, "", usagef("-format benchstat compares with the first column: leave -against out")
	}
	return o, format, nil
}

// parseShare reads "2%" or "0.02".
func parseShare(s string) (float64, error) {
	number, percent := strings.CutSuffix(strings.TrimSpace(s), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil {
		return 0, errors.New("want a share such as 2% or 0.02")
	}
	if percent {
		v /= 100
	}
	if !(v >= 0 && v < 1) || math.IsNaN(v) {
		return 0, errors.New("want a share from 0 to below 100%")
	}
	return v, nil
}

// statOutput is what the files come to: a comparison, or a run where there is
// one side only. Tables is nil for a paired study.
type statOutput struct {
	tables     *compare.Tables
	comparison *result.Comparison
	run        *result.Run
}

// statResult lays the files out. One recording of tare is read by its own,
// paired rule; beside other files it counts as independent samples.
func statResult(files []*benchfile.File, o compare.FileOptions, deltaSet bool) (statOutput, error) {
	if len(files) == 1 && files[0].Recording != nil {
		rec := files[0].Recording
		if deltaSet {
			rec.Study.Delta = o.Delta
		}
		if len(rec.Study.Variants) > 1 {
			c := compare.Lockstep(rec)
			c.Findings = append(c.Findings, profileFindings(c.Profiles)...)
			count.Compare(&c, rec, count.DefaultDelta)
			return statOutput{comparison: &c}, nil
		}
		r := compare.Run(rec)
		count.Measure(&r, rec)
		return statOutput{run: &r}, nil
	}
	var samples []*benchfile.File
	for _, f := range files {
		if f.Recording != nil {
			samples = append(samples, compare.FromRecording(f)...)
		} else {
			samples = append(samples, f)
		}
	}
	tables, err := compare.Files(samples, o)
	if errors.Is(err, compare.ErrNothingLeft) {
		return statOutput{}, err
	}
	if err != nil {
		return statOutput{}, &exitError{exitUsage, err}
	}
	out := statOutput{tables: tables}
	if tables.Single() {
		out.run = tables.Run()
	} else {
		out.comparison = tables.Comparison()
	}
	return out, nil
}

func (out statOutput) write(w io.Writer, format string) error {
	switch {
	case format == "benchstat":
		return report.Benchstat(w, out.tables)
	case format == "json" && out.run != nil:
		return report.JSON(w, out.run)
	case format == "json":
		return report.JSON(w, out.comparison)
	case format == "csv" && out.run != nil:
		return report.RunCSV(w, out.run)
	case format == "csv":
		return report.CSV(w, out.comparison)
	case format == "markdown" && out.run != nil:
		return report.RunMarkdown(w, out.run)
	case format == "markdown":
		return report.Markdown(w, out.comparison)
	case out.run != nil:
		return report.RunText(w, out.run, terminalOptions(w))
	}
	return report.Text(w, out.comparison, terminalOptions(w))
}

// gateExit is the exit code of -gate.
func gateExit(c *result.Comparison) error {
	switch compare.GateOutcome(*c) {
	case compare.Regression:
		return &exitError{exitFound, nil}
	case compare.Open:
		return &exitError{exitUndecided, nil}
	}
	return nil
}
