package lintdriver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/lint"
)

// Prove builds the test binary of every package that has timed loops and
// compares the findings with its machine code. The findings of a package that
// cannot be built or read stay unchanged, and unproven has the reasons.
func Prove(ctx context.Context, o Options, pkgs []*packages.Package, list []Diagnostic) (proven []Diagnostic, unproven []error, err error) {
	loops, err := timedLoops(pkgs)
	if err != nil {
		return nil, nil, fmt.Errorf("list timed loops: %w", err)
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
		return nil, nil, fmt.Errorf("make a folder for test binaries: %w", err)
	}
	defer os.RemoveAll(dir)
	var found []LoopWork
	for i, path := range order {
		binary := filepath.Join(dir, fmt.Sprintf("%d.test", i))
		some, err := provePackage(ctx, o, binary, path, byPackage[path])
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if err != nil {
			unproven = append(unproven, err)
			continue
		}
		found = append(found, some...)
	}
	return settle(list, found), unproven, nil
}

// timedLoops lists the timed loops of loaded packages.
func timedLoops(pkgs []*packages.Package) ([]lint.TimedLoop, error) {
	graph, err := checker.Analyze([]*analysis.Analyzer{lint.TimedLoops}, pkgs, nil)
	if err != nil {
		return nil, err
	}
	var list []lint.TimedLoop
	for _, act := range graph.Roots {
		if act.Err != nil {
			return nil, act.Err
		}
		list = append(list, act.Result.([]lint.TimedLoop)...)
	}
	return list, nil
}

func provePackage(ctx context.Context, o Options, binary, path string, loops []lint.TimedLoop) ([]LoopWork, error) {
	args := append([]string{"test", "-c", "-o", binary}, o.BuildFlags...)
	cmd := process.Command(ctx, "go", append(args, path)...)
	cmd.Dir, cmd.Env = o.Dir, o.Env
	out, err := cmd.CombinedOutput()
	if err := process.Ended(err); err != nil {
		return nil, fmt.Errorf("build the tests of %s: %w\n%s", path, err, out)
	}
	defer os.Remove(binary)
	b, err := openBinary(binary)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("build the tests of %s: no test files", path)
	}
	if err != nil {
		return nil, err
	}
	defer b.close()
	var found []LoopWork
	for _, l := range loops {
		m, err := b.loop(l)
		if err != nil {
			return nil, fmt.Errorf("prove %s in %s: %w", l.Func, path, err)
		}
		found = append(found, m)
	}
	return found, nil
}
