package build

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/file"
	"github.com/tarebench/tare/internal/finding"
)

// Package is a package of the user's patterns in one variant.
type Package struct {
	// Path is the import path, which pairs the packages of two variants.
	Path string
	// Dir is its directory, which is in the worktree for a revision.
	Dir string
	// Tests is true if it has test files. Benchmarks is true if one of them
	// declares a benchmark.
	Tests, Benchmarks bool
	// Functions are the names of its benchmark functions, in the order of its
	// test files. They are not known for a kept binary.
	Functions []string
	// Problem is the error that go list reports for it, or empty. Such a package
	// may still build. If not, Build reports it.
	Problem string
	// Profile is the default.pgo that the go command uses for it. It is empty if
	// there is none: the command uses one for package main only.
	Profile string
	// tests are its test files, and module is the directory of its go.mod, or empty.
	tests  []string
	module string
	// helpers are the packages that only tests import, of those that its tests import.
	helpers []*listed
}

type listed struct {
	ImportPath, Dir, Name, ForTest string
	DepOnly, Standard              bool
	Module                         *struct {
		Path, Version, GoMod string
		Main                 bool
	}
	GoFiles, CgoFiles, TestGoFiles, XTestGoFiles []string
	Imports, TestImports, XTestImports           []string
	// These are for tests= only.
	TestEmbedFiles, XTestEmbedFiles []string
	Error                           *struct{ Err string }
	DepsErrors                      []struct{ Err string }
}

const listFields = "ImportPath,Dir,Name,ForTest,DepOnly,Standard,Module,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports,Error,DepsErrors"

// Packages lists the packages of the patterns, in the order of go list. No
// patterns mean the package in the user's directory. A directory that the
// revision does not have gives no packages and no error. Equal patterns are
// listed once.
func (v *Variant) Packages(ctx context.Context, patterns ...string) ([]Package, error) {
	switch {
	case v.kept != nil:
		return []Package{{Path: v.kept.Pkg, Dir: v.kept.Dir, Tests: true, Benchmarks: true}}, nil
	case v.source.missing:
		return nil, nil
	case len(patterns) == 0:
		patterns = []string{"."}
	}
	key := strings.Join(patterns, "\x00")
	v.mu.Lock()
	packages, ok := v.lists[key]
	v.mu.Unlock()
	if ok {
		return packages, nil
	}
	packages, err := v.list(ctx, patterns)
	if err == nil {
		v.mu.Lock()
		v.lists[key] = packages
		v.mu.Unlock()
	}
	return packages, err
}

func (v *Variant) list(ctx context.Context, patterns []string) ([]Package, error) {
	if err := v.useTests(ctx, patterns); err != nil {
		return nil, err
	}
	args := append([]string{"list", "-e", "-deps", "-test=" + strconv.FormatBool(!v.builder.Programs), "-json=" + listFields}, v.flags.list()...)
	args = append(args, "--")
	for _, pattern := range patterns {
		args = append(args, v.source.place(pattern))
	}
	v.builder.progress("list packages of %s", v.Spec.Label)
	stdout, stderr, err := v.goCommand(ctx, nil, args...)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fail(v.Spec, "list packages", printed(stdout, stderr, err), err, v.hint(ctx))
	}
	list, err := readList(stdout)
	if err != nil {
		return nil, fail(v.Spec, "list packages", "", err, "")
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	all := make(map[string]*listed)
	var roots []*listed
	for _, p := range list {
		all[p.ImportPath] = p
		v.addSources(p)
		if p.isRoot() {
			roots = append(roots, p)
		}
	}
	v.findUnused(all)
	var packages []Package
	helpers := testOnly(list)
	for _, root := range roots {
		p := v.describe(root, all)
		for _, name := range slices.Concat(root.TestImports, root.XTestImports) {
			if helpers[name] {
				p.helpers = append(p.helpers, all[name])
			}
		}
		if p.Dir == "" && p.Problem != "" && !p.Tests && v.nowhere(patterns) {
			continue
		}
		packages = append(packages, p)
		v.known[p.Path] = p
	}
	return packages, nil
}

func (v *Variant) addSources(p *listed) {
	for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
		if !p.Standard && !filepath.IsAbs(name) {
			path := filepath.Join(p.Dir, name)
			v.sources[path] = cmp.Or(v.overlay.replace[path], path)
		}
	}
}

// Sources are the files of the Go code outside the standard library in the tests
// of all packages that Packages listed, sorted.
func (v *Variant) Sources() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Sorted(maps.Values(v.sources))
}

// findUnused adds a finding for each mod= whose module has no listed package.
// Without that mod= the variant would be the same.
func (v *Variant) findUnused(all map[string]*listed) {
	for _, mod := range v.Spec.Mods {
		path, _, _ := strings.Cut(mod, "@")
		used := false
		for _, p := range all {
			used = used || p.Module != nil && p.Module.Path == path
		}
		if used || slices.ContainsFunc(v.Findings, func(f finding.Finding) bool { return catalog.ModUnused.Is(f) && f.Subject == path }) {
			continue
		}
		v.Findings = append(v.Findings, catalog.ModUnused.Of(path, finding.Text("variant", v.Spec.Label)))
	}
}

// nowhere reports whether the directory of a pattern is missing in this
// revision, so that only another variant has the package.
func (v *Variant) nowhere(patterns []string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		pattern = strings.TrimSuffix(pattern, "/...")
		local := strings.HasPrefix(pattern, ".") || filepath.IsAbs(pattern)
		return local && !exists(absolute(v.Dir, v.source.place(pattern)))
	})
}

var benchmarkFunction = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^func (Benchmark[\pL\pN_]*)\(`) })

func (v *Variant) describe(root *listed, all map[string]*listed) Package {
	p := Package{Path: root.ImportPath, Dir: root.Dir}
	if root.Module != nil {
		p.module = filepath.Dir(root.Module.GoMod)
	}
	tests := slices.Concat(root.TestGoFiles, root.XTestGoFiles)
	if p.Tests = len(tests) > 0; v.builder.Programs {
		tests, p.Tests, p.Benchmarks = nil, root.Name == "main", root.Name == "main"
	}
	for _, name := range tests {
		path := filepath.Join(root.Dir, name)
		path = cmp.Or(v.overlay.replace[path], path)
		p.tests = append(p.tests, path)
		data, err := file.ReadNamed(path)
		p.Benchmarks = p.Benchmarks || err == nil && bytes.Contains(data, []byte("func Benchmark"))
		for _, m := range benchmarkFunction().FindAllSubmatch(data, -1) {
			p.Functions = append(p.Functions, string(m[1]))
		}
	}
	switch {
	case root.Error != nil:
		p.Problem = root.Error.Err
	case len(root.DepsErrors) > 0:
		p.Problem = root.DepsErrors[0].Err
	}
	if pgo := filepath.Join(root.Dir, "default.pgo"); root.Name == "main" && exists(pgo) && (v.flags.pgo == "" || v.flags.pgo == "auto") {
		p.Profile = pgo
	}
	if main := all[root.ImportPath+".test"]; p.Problem == "" && main != nil && main.Error != nil {
		p.Problem = main.Error.Err
	}
	return p
}
