package build

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/tarebench/tare/cmd/tare/internal/file"
)

// testTree is the source of tests=, and the directories of its packages. Test
// binaries run there, with its testdata.
type testTree struct {
	*source
	dirs map[string]string
}

// WithTests is the variant with the tests of a revision.
func (s Spec) WithTests(revision string) Spec {
	s.Tests = revision
	s.Label += ",tests=" + strings.ReplaceAll(revision, ",", `\,`)
	return s
}

func (v *Variant) openTests(ctx context.Context) error {
	if v.Spec.Tests == "" {
		return nil
	}
	src, err := v.builder.source(ctx, Spec{Label: v.Spec.Label, Revision: v.Spec.Tests})
	if err != nil {
		return err
	}
	if src.root == "" || v.source.root == "" {
		return fail(v.Spec, "find tests", "", errors.New("tests= needs git"), "git init, git add and git commit make a revision")
	}
	v.borrowed = &testTree{src, make(map[string]string)}
	return nil
}

// useTests replaces the test files of the named packages and the packages that
// only tests import. It also adds the requirements that only tests have.
func (v *Variant) useTests(ctx context.Context, patterns []string) error {
	if v.borrowed == nil || v.borrowed.missing {
		return nil
	}
	env := setenv(v.env, "GOWORK="+cmp.Or(v.borrowed.gowork, os.Getenv("GOWORK")))
	args := append([]string{"list", "-e", "-test", "-deps", "-json=" + listFields + ",TestEmbedFiles,XTestEmbedFiles"}, "-tags="+strings.Join(v.flags.tags, ","), "--")
	for _, pattern := range patterns {
		args = append(args, v.borrowed.place(pattern))
	}
	v.builder.progress("list tests of %s", v.Spec.Tests)
	stdout, stderr, err := v.builder.Exec(ctx, Command{Dir: v.borrowed.dir, Env: env, Args: append([]string{v.toolchain.command()}, args...)})
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fail(v.Spec, "list tests", printed(stdout, stderr, err), err, "")
	}
	all, err := readList(stdout)
	if err != nil {
		return fail(v.Spec, "list tests", "", err, "")
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	helpers := testOnly(all)
	for _, p := range all {
		switch {
		case p.isRoot() && len(p.TestGoFiles)+len(p.XTestGoFiles) > 0:
			v.borrowed.dirs[p.ImportPath] = p.Dir
			err = v.replaceFiles(p.Dir, isTestFile, slices.Concat(p.TestEmbedFiles, p.XTestEmbedFiles))
			if err == nil && v.Spec.BenchmarksOnly {
				err = v.benchmarksOnly(p, namesOf(all))
			}
		case helpers[p.ImportPath]:
			err = v.replaceFiles(p.Dir, func(string) bool { return true }, nil)
		}
		if err != nil {
			return fail(v.Spec, "replace tests", "", err, "")
		}
	}
	if err := v.requireForTests(ctx, all, patterns); err != nil {
		return err
	}
	return v.writeOverlay()
}

func namesOf(all []*listed) map[string]string {
	names := make(map[string]string)
	for _, p := range all {
		if p.ForTest == "" {
			names[p.ImportPath] = p.Name
		}
	}
	return names
}

func readList(stdout []byte) (all []*listed, err error) {
	for dec := json.NewDecoder(bytes.NewReader(stdout)); ; {
		p := new(listed)
		if err := dec.Decode(p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
}

func (p *listed) isRoot() bool {
	return !p.DepOnly && p.ForTest == "" && !strings.HasSuffix(p.ImportPath, ".test")
}

func isTestFile(name string) bool { return strings.HasSuffix(name, "_test.go") }

// testOnly are the packages of the main modules that only tests import. They
// have no tests, and internal or test in their path. Another package without
// tests may be the code that tests elsewhere measure.
func testOnly(all []*listed) map[string]bool {
	byTests, byCode := make(map[string]bool), make(map[string]bool)
	for _, p := range all {
		if p.ForTest != "" || strings.HasSuffix(p.ImportPath, ".test") {
			continue
		}
		for _, name := range slices.Concat(p.TestImports, p.XTestImports) {
			byTests[name] = true
		}
		for _, name := range p.Imports {
			byCode[name] = true
		}
	}
	only := make(map[string]bool)
	for _, p := range all {
		name := p.ImportPath
		helper := strings.Contains(path.Base(name), "test") || strings.Contains("/"+name+"/", "/internal/")
		if p.Module != nil && p.Module.Main && byTests[name] && !byCode[name] && helper && len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
			only[name] = true
		}
	}
	return only
}

// replaceFiles gives the variant the files of dir, a directory of the tests, for
// which take is true, and the embedded ones. It removes the files that only the
// variant has.
func (v *Variant) replaceFiles(dir string, take func(name string) bool, embedded []string) error {
	rel, err := filepath.Rel(v.borrowed.root, realPath(dir))
	if err != nil || strings.HasPrefix(rel, "..") {
		return nil // not of this repository
	}
	home := filepath.Join(v.source.root, rel)
	if home == dir {
		return nil
	}
	names := func(dir string) (names []string, err error) {
		entries, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		for _, e := range entries {
			if !e.IsDir() && take(e.Name()) {
				names = append(names, e.Name())
			}
		}
		return names, err
	}
	old, err := names(home)
	if err != nil {
		return err
	}
	for _, name := range old {
		v.overlay.replace[filepath.Join(home, name)] = ""
	}
	new, err := names(dir)
	if err != nil {
		return err
	}
	for _, name := range append(new, embedded...) {
		v.overlay.replace[filepath.Join(home, name)] = filepath.Join(dir, name)
	}
	return nil
}

// requireForTests adds the modules that only the tests need to a copy of go.mod.
// It fails if they raise a module that the code is built with.
func (v *Variant) requireForTests(ctx context.Context, all []*listed, patterns []string) error {
	const step = "require modules of the tests"
	original := cmp.Or(v.flags.modfile, v.goenv("GOMOD"))
	theirs, needed := modulesOfTests(all)
	data, err := file.ReadNamed(original)
	if err != nil || theirs == "" {
		return nil // no module: nothing to add to
	}
	mod, err := modfile.ParseLax(original, data, nil)
	if err != nil {
		return fail(v.Spec, step, "", err, "")
	}
	for _, r := range mod.Require {
		delete(needed, r.Mod.Path)
	}
	if work := v.goenv("GOWORK"); len(needed) == 0 || work != "" && work != "off" {
		return nil
	}
	before, err := v.builtWith(ctx, patterns)
	if err != nil {
		return err
	}
	copied, err := v.copyModule(original, theirs, data, needed)
	if err != nil {
		return fail(v.Spec, step, "", err, "")
	}
	v.flags.useModfile(copied)
	after, err := v.builtWith(ctx, patterns)
	if err != nil {
		return err
	}
	for name, version := range before {
		if after[name] != version {
			return fail(v.Spec, step, "", fmt.Errorf("they change %s from %s to %s, also for the code", name, version, after[name]), "build each variant with its own tests: OLD,tests=OLD")
		}
	}
	return nil
}

// copyModule writes a copy of go.mod that requires modules, with the sums of both.
func (v *Variant) copyModule(original, theirs string, data []byte, modules map[string]string) (string, error) {
	mod, err := modfile.Parse(original, data, nil)
	for _, name := range slices.Sorted(maps.Keys(modules)) {
		if err == nil {
			err = mod.AddRequire(name, modules[name])
		}
	}
	if err != nil {
		return "", err
	}
	text, err := mod.Format()
	var sums []byte
	for _, of := range []string{original, theirs} {
		sum, serr := file.ReadNamed(strings.TrimSuffix(of, ".mod") + ".sum")
		err, sums = cmp.Or(err, ignoreMissing(serr)), append(sums, sum...)
	}
	copied := filepath.Join(v.folder(), "go.mod")
	if err == nil {
		err = errors.Join(os.WriteFile(copied, text, 0o600), os.WriteFile(filepath.Join(v.folder(), "go.sum"), sums, 0o600))
	}
	return copied, err
}

func modulesOfTests(all []*listed) (gomod string, versions map[string]string) {
	byName := make(map[string]*listed)
	for _, p := range all {
		if p.ForTest == "" {
			byName[p.ImportPath] = p
		}
	}
	code, tests := make(map[string]bool), make(map[string]bool)
	var reach func(seen map[string]bool, names []string)
	reach = func(seen map[string]bool, names []string) {
		for _, name := range names {
			if p := byName[name]; p != nil && !seen[name] {
				seen[name] = true
				reach(seen, p.Imports)
			}
		}
	}
	for _, p := range byName {
		if p.isRoot() {
			reach(code, p.Imports)
			reach(tests, slices.Concat(p.TestImports, p.XTestImports))
		}
	}
	versions = make(map[string]string)
	for name, p := range byName {
		switch m := p.Module; {
		case m == nil:
		case m.Main:
			gomod = m.GoMod
		case m.Version != "" && tests[name] && !code[name]:
			versions[m.Path] = m.Version
		}
	}
	return gomod, versions
}

func (v *Variant) builtWith(ctx context.Context, patterns []string) (map[string]string, error) {
	args := append([]string{"list", "-e", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Version}}{{end}}"}, v.flags.list()...)
	stdout, stderr, err := v.goCommand(ctx, nil, append(append(args, "--"), patterns...)...)
	if err != nil {
		return nil, fail(v.Spec, "list modules", printed(stdout, stderr, err), err, "")
	}
	versions := make(map[string]string)
	for line := range strings.Lines(string(stdout)) {
		name, version, _ := strings.Cut(strings.TrimSpace(line), " ")
		if version != "" {
			versions[name] = version
		}
	}
	return versions, nil
}

// SameTests reports whether two variants have the same test files and test data of
// a package.
func SameTests(a, b Package) bool {
	return sameFiles(a.Dir, b.Dir, isTestFile) && sameFiles(filepath.Join(a.Dir, "testdata"), filepath.Join(b.Dir, "testdata"), nil)
}

// sameFiles compares the files of two directories: those that take selects, or
// the whole trees if take is nil.
func sameFiles(a, b string, take func(string) bool) bool {
	hashes := func(dir string) map[string]string {
		all := make(map[string]string)
		_ = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
			switch {
			case err != nil: // a missing directory has no files
			case e.IsDir() && name != dir && take != nil:
				return fs.SkipDir
			case !e.IsDir() && (take == nil || take(e.Name())):
				all[strings.TrimPrefix(name, dir)] = HashFile(context.Background(), name)
			}
			return nil
		})
		return all
	}
	return maps.Equal(hashes(a), hashes(b))
}
