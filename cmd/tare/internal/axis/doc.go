// Package axis lists what a bisection searches: an ordered series of variants
// from a good one to a bad one.
//
//   - [Commits]: the first-parent history between two revisions
//   - [Module]: the released versions of a dependency
//   - [Releases]: the releases of Go
//   - [Merged]: the histories that a merge brought in
//
// or changes without an order, each of which can be made by itself:
//
//   - [ListFiles]: the files that differ between two commits
//
// Each lists points; the text of a point is a variant as the command line has
// it. Nothing is built and no checkout changes. Commands run through [Exec].
package axis

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// Exec runs a command in a folder and returns its standard output.
type Exec func(ctx context.Context, dir, name string, args ...string) ([]byte, error)

// Run is the Exec of the operating system.
func Run(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w: %s", name, args[0], err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}
