package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
)

func versionCommand(s streams) *command { return verb(s, "version", runVersion, nil) }

func runVersion(_ context.Context, s streams, _ *command) error {
	_, err := fmt.Fprintf(s.out, "tare version %s %s %s %s/%s\n", version(), commit(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

func commit() string {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return "(no commit)"
	}
	revision, modified := "(no commit)", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = "+changes"
		}
	}
	return revision + modified
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
