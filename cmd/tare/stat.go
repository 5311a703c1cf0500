package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/benchtab"
	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

func statCommand(s streams) *command {
	return verb(s, "stat", runStat, flags("filter table row col ignore delta gate format json o alpha against v q sort", reportFormat(true)...))
}

type statOptions struct {
	files benchtab.Options
	to    destination
	// deltaSet is true if -delta was given. It replaces the δ of a recording.
	deltaSet bool
	// onePair refuses files with more than two variants.
	onePair bool
	// match, if not nil, selects benchmarks.
	match func(name string) bool
}

func runStat(_ context.Context, s streams, c *command) error {
	o, err := readStatFlags(c)
	if err != nil {
		return err
	}
	if len(c.args) == 0 {
		return usagef("stat needs a file: tare stat [flags] [label=]FILE…")
	}
	return statFiles(s, c.args, o)
}

func statFiles(s streams, args []string, o statOptions) error {
	if err := notInput(o.to.file, args); err != nil {
		return err
	}
	d, err := readDocument(s, args, o)
	if err != nil {
		return err
	}
	var exit error
	if len(o.files.Gate) > 0 {
		if d.Comparison.IsRun() {
			return usagef("-gate needs two variants: name two files, or a key in -col that has two values")
		}
		exit = gateExit(s, d.Comparison)
	}
	d.Exit = codeOf(exit)
	if err := o.to.write(s, d); err != nil {
		return err
	}
	return exit
}

// readFileFlags reads the flags that tare stat shares with tare compare of files.
func readFileFlags(c *command) (o statOptions, err error) {
	o = statOptions{deltaSet: c.isGiven("delta")}
	o.files.Gate = readGate(c)
	if o.files.Delta, err = readFlag(c, "delta", session.ParseDelta); err != nil {
		return o, err
	}
	if o.files.Alpha, err = readFlag(c, "alpha", session.ParseAlpha); err != nil {
		return o, err
	}
	o.files.Confidence = 0.95
	o.to, err = readDestination(c, true)
	o.files.KeepOrder = o.to.format == "html" || o.to.format == "svg" // pictures show it
	return o, err
}

func readStatFlags(c *command) (o statOptions, err error) {
	if o, err = readFileFlags(c); err != nil {
		return o, err
	}
	o.files.Filter, o.files.Table, o.files.Row = c.text("filter"), c.text("table"), c.text("row")
	o.files.Col, o.files.Ignore = c.text("col"), c.text("ignore")
	switch against := strings.Join(c.texts("against"), " "); against {
	case "", "first":
	case "previous":
		o.files.Previous = true
	default:
		return o, usagef("-against %s: first or previous", against)
	}
	return o, nil
}

// readDocument reads recordings and benchmark files and judges them: one
// recording by its plan, everything else as independent samples.
func readDocument(s streams, args []string, o statOptions) (d report.Document, err error) {
	files, err := session.ReadFiles(args, s.in)
	if err != nil {
		return d, err
	}
	if o.onePair {
		if err := session.OnePair(files); err != nil {
			return d, asUsage(err)
		}
	}
	if !session.FilterFiles(files, func(string) bool { return true }) {
		return d, fmt.Errorf("show %s: no benchmark in it: it ended before it found one", strings.Join(args, " "))
	}
	if o.match != nil && !session.FilterFiles(files, o.match) {
		return d, fmt.Errorf("show %s: no benchmark matches -bench", strings.Join(args, " "))
	}
	var delta *float64
	if o.deltaSet {
		delta = &o.files.Delta
	}
	out, err := session.JudgeFiles(files, o.files, delta, o.match)
	switch {
	case errors.Is(err, benchtab.ErrNothingLeft):
		return d, err
	case err != nil:
		return d, asUsage(err)
	}
	d = report.FilesDocument(out.Comparison, out.Recording, out.Tables)
	d.Command = s.command()
	return d, nil
}
