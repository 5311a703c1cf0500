package selftest

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/process"
)

// OnceOptions select the benchmarks to run.
type OnceOptions struct {
	// BuildFlags are passed to the go command: -tags=….
	BuildFlags []string
	// Bench is a regular expression of top-level benchmarks, or "" for all.
	Bench string
	// Timeout ends a benchmark that runs longer. 0 is a minute.
	Timeout time.Duration
}

// testPackage is a package with test files, by its import path and its
// directory.
type testPackage struct{ Path, Dir string }

// listPackages names the packages of the patterns that have test files.
func listPackages(ctx context.Context, o OnceOptions, patterns ...string) ([]testPackage, error) {
	const format = "{{if not .Dir}}\t{{.Error}}{{else if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}\t{{.Dir}}{{end}}"
	args := append([]string{"list", "-e", "-f", format}, o.BuildFlags...)
	cmd := process.Command(ctx, "go", append(args, patterns...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err := process.Ended(err); err != nil {
		return nil, fmt.Errorf("list packages %s: %w: %s", strings.Join(patterns, " "), err, strings.TrimSpace(stderr.String()))
	}
	var list []testPackage
	for line := range strings.Lines(string(out)) {
		path, dir, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if path == "" {
			return nil, fmt.Errorf("list packages %s: %s", strings.Join(patterns, " "), dir)
		}
		list = append(list, testPackage{path, dir})
	}
	return list, nil
}
