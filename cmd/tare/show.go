package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/internal/benchtab"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/session"
)

func showCommand(s streams) *cli.Command {
	return &cli.Command{
		Name: "show",
		Flags: append(outputFlags(),
			&cli.StringFlag{Name: "bench", Value: ".", Usage: "show benchmarks that match `REGEXP`, as go test does"},
		),
		Action: func(_ context.Context, c *cli.Command) error { return runShow(s, c) },
	}
}

func runShow(s streams, c *cli.Command) error {
	match, err := session.Matcher(c.String("bench"))
	if err != nil {
		return usagef("flag -bench: %v", err)
	}
	to, err := readDestination(c)
	if err != nil {
		return err
	}
	files := c.Args().Slice()
	if len(files) == 0 {
		latest, err := session.Latest(".")
		if err != nil {
			return &exitError{exitUsage, err}
		}
		files = []string{latest}
	}
	d, err := readDocument(files, s.in, match)
	if err != nil {
		return err
	}
	d.Command = s.typed
	if to.format == "text" {
		return to.writeAs(s, d, func(w io.Writer, o report.Options) error { return report.Distribution(w, d, o) })
	}
	return to.write(s, d)
}

// readDocument reads recordings and benchmark files and judges them: one
// recording by its own rule, everything else as tare stat does.
func readDocument(args []string, stdin io.Reader, match func(string) bool) (report.Document, error) {
	files, err := session.ReadFiles(args, stdin)
	if err != nil {
		return report.Document{}, err
	}
	if !session.FilterFiles(files, match) {
		return report.Document{}, fmt.Errorf("show %s: no benchmark matches -bench", strings.Join(args, " "))
	}
	out, err := judgeFiles(files, benchtab.Options{Alpha: session.DefaultAlpha, Confidence: 0.95, Delta: session.DefaultDelta, KeepOrder: true}, false)
	if err != nil {
		return report.Document{}, err
	}
	return report.FilesDocument(out.Comparison, out.Run, out.Recording, out.Tables), nil
}
