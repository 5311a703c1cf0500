package main

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/urfave/cli/v3"
)

func versionCommand(s streams) *cli.Command { return verb(s, "version", runVersion, nil) }

func runVersion(_ context.Context, s streams, _ *cli.Command) error {
	_, err := fmt.Fprintln(s.out, "tare version "+version())
	return err
}

// released is the version of a release, set by the linker: see .ci/release.
var released string

func version() string {
	if released != "" {
		return released
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
