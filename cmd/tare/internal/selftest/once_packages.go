package selftest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/process"
)

// OnceOptions say what to run.
type OnceOptions struct {
	// Dir is where the go command runs; "" is the current directory.
	Dir string
	// BuildFlags are handed to the go command: -tags=….
	BuildFlags []string
	// Bench selects top-level benchmarks by a regular expression; "" is all.
	Bench string
	// Timeout ends a benchmark that runs longer; 0 is a minute.
	Timeout time.Duration
}

// testPackage is a package with test files.
type testPackage struct {
	// Path is its import path.
	Path string
	// Dir is its folder.
	Dir string
}

// listPackages names the packages of the patterns that have test files.
func listPackages(ctx context.Context, o OnceOptions, patterns ...string) ([]testPackage, error) {
	args := append([]string{"list", "-e", "-json=ImportPath,Dir,TestGoFiles,XTestGoFiles,Error"}, o.BuildFlags...)
	cmd := process.Command(ctx, "go", append(args, patterns...)...)
	cmd.Dir = o.Dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err := process.Ended(err); err != nil {
		return nil, fmt.Errorf("list packages %s: %w: %s", strings.Join(patterns, " "), err, strings.TrimSpace(stderr.String()))
	}
	var list []testPackage
	dec := json.NewDecoder(bytes.NewReader(out))
	for {
		var p struct {
			ImportPath, Dir           string
			TestGoFiles, XTestGoFiles []string
			Error                     *struct{ Err string }
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, fmt.Errorf("list packages: read the output of go list: %w", err)
		}
		if p.Dir == "" && p.Error != nil {
			return nil, fmt.Errorf("list package %s: %s", p.ImportPath, p.Error.Err)
		}
		if len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
			list = append(list, testPackage{p.ImportPath, p.Dir})
		}
	}
}
