package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/tarebench/tare/internal/process"
	"github.com/tarebench/tare/internal/prove"
	"github.com/tarebench/tare/lint"
)

// proveFindings builds the test binary of every package that has timed loops
// and holds the findings against its machine code. A package that cannot be
// proven is said so on standard error; its findings stay what they were.
func proveFindings(ctx context.Context, s streams, o lint.Options, pkgs []*packages.Package, list []lint.Diagnostic) ([]lint.Diagnostic, error) {
	loops, err := lint.TimedLoops(pkgs)
	if err != nil {
		return nil, fmt.Errorf("list timed loops: %w", err)
	}
	byPackage := make(map[string][]lint.TimedLoop)
	var order []string
	for _, l := range loops {
		path := strings.TrimSuffix(l.Package, "_test")
		if byPackage[path] == nil {
			order = append(order, path)
		}
		byPackage[path] = append(byPackage[path], l)
	}
	dir, err := os.MkdirTemp("", "tare-prove-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for test binaries: %w", err)
	}
	defer os.RemoveAll(dir)
	var proven []lint.ProvenLoop
	for i, path := range order {
		binary := filepath.Join(dir, fmt.Sprintf("%d.test", i))
		some, err := provePackage(ctx, o, binary, path, byPackage[path])
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			fmt.Fprintf(s.err, "not proven: %v\n", err)
			continue
		}
		proven = append(proven, some...)
	}
	return lint.Settle(list, proven), nil
}

func provePackage(ctx context.Context, o lint.Options, binary, path string, loops []lint.TimedLoop) ([]lint.ProvenLoop, error) {
	args := append([]string{"test", "-c", "-o", binary}, o.BuildFlags...)
	cmd := process.Command(ctx, time.Second, "go", append(args, path)...)
	cmd.Dir, cmd.Env = o.Dir, o.Env
	out, err := cmd.CombinedOutput()
	if err := process.Ended(err); err != nil {
		return nil, fmt.Errorf("build the tests of %s: %w\n%s", path, err, out)
	}
	defer os.Remove(binary)
	b, err := prove.Open(binary)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("build the tests of %s: no test files", path)
	}
	if err != nil {
		return nil, err
	}
	defer b.Close()
	var proven []lint.ProvenLoop
	for _, l := range loops {
		m, err := b.Loop(l.Package, l.Source)
		if err != nil {
			return nil, fmt.Errorf("prove %s in %s: %w", l.Benchmark, path, err)
		}
		proven = append(proven, lint.ProvenLoop{TimedLoop: l, Machine: m})
	}
	return proven, nil
}
