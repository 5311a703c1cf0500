package main

import (
	"context"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/cmd/tare/internal/pattern"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

func showCommand(s streams) *cli.Command {
	return verb(s, "show", runShow, append(outputFlags(),
		&cli.StringFlag{Name: "bench", Value: ".", Usage: "show benchmarks that match `REGEXP`, as go test does"},
	))
}

func runShow(_ context.Context, s streams, c *cli.Command) error {
	match, err := pattern.Names(c.String("bench"))
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
			return asUsage(err)
		}
		files = []string{latest}
	}
	d, err := readDocument(s, files, statOptions{files: session.FileDefaults(), match: match})
	if err != nil {
		return err
	}
	if to.format == "text" {
		to.format = "distribution"
	}
	return to.write(s, d)
}
