package main

import (
	"context"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/cmd/tare/internal/session"
)

func mergeCommand(s streams) *cli.Command {
	return verb(s, "merge", runMerge, append(outputFlags(),
		&cli.BoolFlag{Name: "gate", Usage: "exit 3 when something is slower beyond -delta of the parts, 4 when that could not be excluded"},
	))
}

func runMerge(_ context.Context, s streams, c *cli.Command) error {
	if !c.Args().Present() {
		return usagef("merge needs the parts, files or folders that tare shard wrote, such as: tare merge part-*.jsonl")
	}
	to, err := readDestination(c)
	if err != nil {
		return err
	}
	folder, err := session.Merge(".", c.Args().Slice(), s.typed)
	if err != nil {
		return err
	}
	d, err := readDocument(s, []string{folder}, statOptions{files: session.FileDefaults()})
	if err != nil {
		return err
	}
	if err := to.write(s, d); err != nil {
		return err
	}
	return comparisonExit(*d.Comparison, false, c.Bool("gate"))
}
