package main

import (
	"context"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/internal/session"
)

func mergeCommand(s streams) *cli.Command {
	return &cli.Command{
		Name: "merge",
		Flags: append(outputFlags(),
			&cli.BoolFlag{Name: "gate", Usage: "exit 3 when something is slower beyond -delta of the parts, 4 when that could not be excluded"},
		),
		Action: func(_ context.Context, c *cli.Command) error { return runMerge(s, c) },
	}
}

func runMerge(s streams, c *cli.Command) error {
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
	d, err := readDocument([]string{folder}, s.in, func(string) bool { return true })
	if err != nil {
		return err
	}
	d.Command = s.typed
	if err := to.write(s, d); err != nil {
		return err
	}
	return comparisonExit(*d.Comparison, false, c.Bool("gate"))
}
