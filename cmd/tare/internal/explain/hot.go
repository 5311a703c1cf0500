package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/production"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

// leastHot is the least share of production of a function that is worth a
// benchmark.
const leastHot = 0.01

// Hot is a function of a module that takes time in production and that no
// benchmark reaches.
type Hot struct {
	// Name is its name in the source.
	Name string
	// File and Line are its place. They are empty if no test binary contains it.
	File string
	Line int
	// Share is the part of the time in it and in what it calls outside the module.
	Share float64
	// Nearest is the benchmark whose code is nearest to it by calls, or empty.
	Nearest string
}

// Unbenched lists the hot functions of the module without a benchmark in the
// packages of a specification, the one with most time first.
func Unbenched(ctx context.Context, spec session.Spec, profile string, step func(string)) (all []Hot, err error) {
	p, err := production.Read(profile)
	if err != nil {
		return nil, err
	}
	out, err := process.Run(ctx, spec.Dir, "go", "list", "-m", "-f", "{{.Path}}")
	if err != nil {
		return nil, fmt.Errorf("list module: %w", err)
	}
	module, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if spec.Variants, err = build.ParseAll(build.WorkingTree, build.WorkingTree); err != nil {
		return nil, err
	}
	code, err := session.OpenCode(ctx, spec, step)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, code.Close()) }()
	hot := p.Weigh(func(name string) bool {
		return strings.HasPrefix(name, module+"/") || strings.HasPrefix(name, module+".") || strings.HasPrefix(name, "main.")
	})
	if len(hot) == 0 {
		return nil, fmt.Errorf("read profile %s: it is of another program: no function of %s is in it", profile, module)
	}
	found, err := newExplainer(spec, code).reached()
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(hot)) {
		f, share := found[name], hot[name].Own
		if share < leastHot || f.runs || strings.HasPrefix(name, "main.init") {
			continue
		}
		h := Hot{Name: name, File: f.file, Line: f.line, Share: share}
		for _, near := range p.Near(name) {
			if by := found[near].benchmarks; len(by) > 0 {
				h.Nearest = by[0]
				break
			}
		}
		all = append(all, h)
	}
	slices.SortStableFunc(all, func(a, b Hot) int { return cmp.Compare(b.Share, a.Share) })
	return all, nil
}

// reachedFunction is what benchmarks run of a function.
type reachedFunction struct {
	file       string
	line       int
	runs       bool
	benchmarks []string // that lead to its machine code
}

// reached are the functions of the test binaries by their names in the source.
func (c *explainer) reached() (map[string]reachedFunction, error) {
	measured := make(map[string][]string)
	for _, pkg := range c.Packages() {
		if one := c.Comparison(pkg, 1); one != nil {
			measured[pkg] = one.Benchmarks()
		}
	}
	runs := c.running(measured, 1)
	if runs == nil {
		return nil, errors.New("follow calls of the benchmarks: the test binaries are not understood")
	}
	all := make(map[string]reachedFunction)
	for _, pkg := range c.Packages() {
		one := c.Comparison(pkg, 1)
		if one == nil {
			continue
		}
		functions := one.Find(func(name string) bool { return !isStandard(name) })
		for i, r := range one.Reaches(functions) {
			name := functions[i].Name
			for _, name := range []string{name, "main." + localName(name)} {
				if strings.HasPrefix(name, "main.") && !inMain(functions[i].File) {
					continue
				}
				f := all[name]
				f.file, f.line = functions[i].File, functions[i].Line
				f.runs = f.runs || len(r.Benchmarks) > 0 || runs(functions[i].Name)
				for _, b := range r.Benchmarks {
					f.benchmarks = append(f.benchmarks, strings.TrimPrefix(b, "Benchmark"))
				}
				all[name] = f
			}
		}
	}
	return all, nil
}
