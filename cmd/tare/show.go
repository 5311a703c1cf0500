package main

import (
	"context"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/cmd/tare/internal/pattern"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

func showCommand(s streams) *cli.Command {
	return verb(s, "show", runShow, flags("bench gate format json o v", reportFormat("line")...))
}

func runShow(_ context.Context, s streams, c *cli.Command) error {
	match, err := pattern.Names(c.String("bench"))
	if err != nil {
		return usagef("flag -bench: %v", err)
	}
	to, err := readDestination(c, "line")
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
	merged, gate := "", readGate(c)
	if len(files) > 1 || len(gate) > 0 {
		if merged, err = session.MergeParts(".", files, s.command()); err != nil {
			return err
		}
	}
	switch {
	case merged != "":
		files = []string{merged}
	case len(gate) > 0:
		return usagef("flag -gate is for the parts of a comparison, and %s is none: tare stat -gate FILE… judges files", files[0])
	case to.format == "text":
		to.format = "distribution"
	}
	o := statOptions{files: session.FileDefaults(), match: match}
	o.files.Gate = gate
	d, err := readDocument(s, files, o)
	if err != nil {
		return err
	}
	var exit error
	if merged != "" {
		exit = comparisonExit(s, *d.Comparison, false, len(gate) > 0)
	}
	d.Exit = codeOf(exit)
	if err := to.write(s, d); err != nil {
		return err
	}
	return exit
}
