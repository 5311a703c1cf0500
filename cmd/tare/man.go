package main

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/cmd/tare/internal/usage"
)

func manCommand(s streams) *cli.Command { return verb(s, "man", runMan, nil) }

func runMan(_ context.Context, s streams, c *cli.Command) error {
	return usage.Man(s.out, c.Root(),
		usage.Section{Heading: "Exit status", Text: helpText("exit-status")},
		usage.Section{Heading: "Environment", Text: helpText("environment")})
}

func versionCommand(s streams) *cli.Command { return verb(s, "version", runVersion, nil) }

func runVersion(_ context.Context, s streams, _ *cli.Command) error {
	_, err := fmt.Fprintln(s.out, "tare version "+version())
	return err
}

func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
