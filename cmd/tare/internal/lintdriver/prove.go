package lintdriver

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/tarebench/tare/cmd/tare/internal/objcode"
	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/lint"
)

// Prove compiles the tests of every package that has timed loops and
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
	var found []LoopWork
	for _, path := range order {
		some, err := provePackage(ctx, o, path, byPackage[path])
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

func provePackage(ctx context.Context, o Options, path string, loops []lint.TimedLoop) ([]LoopWork, error) {
	archives, err := compiled(ctx, o, path)
	if err != nil {
		return nil, err
	}
	open := make(map[string]*objcode.Package)
	var found []LoopWork
	for _, l := range loops {
		pkg := open[l.Package]
		if pkg == nil {
			if pkg, err = objcode.OpenPackage(l.Package, archives); err != nil {
				return nil, fmt.Errorf("prove %s in %s: %w", l.Func, path, err)
			}
			open[l.Package] = pkg
		}
		m, err := loop(pkg, l)
		if err != nil {
			return nil, fmt.Errorf("prove %s in %s: %w", l.Func, path, err)
		}
		found = append(found, m)
	}
	return found, nil
}

// compiled compiles a package for its tests, and returns all archives by import
// path: those of the package and of others are compiled for the tests.
func compiled(ctx context.Context, o Options, path string) (map[string]string, error) {
	args := append([]string{"list", "-export", "-test", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}"}, o.BuildFlags...)
	cmd := process.Command(ctx, "go", append(args, path)...)
	cmd.Dir, cmd.Env = o.Dir, o.Env
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err := process.Ended(err); err != nil {
		return nil, fmt.Errorf("build the tests of %s: %w\n%s", path, err, errs.String())
	}
	archives := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		name, test, _ := strings.Cut(name, " ")
		if archives[name] == "" || test != "" {
			archives[name] = file
		}
	}
	return archives, nil
}
