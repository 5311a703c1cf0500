package build

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// Binary is a test binary that is ready to start.
type Binary struct {
	// Path is the file. Builder.Close removes it, see [Keep].
	Path string
	// Dir is the working directory: the directory of the package's sources, which
	// contains testdata.
	Dir string
	// Env are the NAME=VALUE pairs that the variant adds to a worker's
	// environment.
	Env []string
	// Pkg is the import path.
	Pkg string
	// Layout is the seed of the function order. 0 is the linker's default order,
	// the only one of toolchains before Go 1.22.
	Layout uint64
	// Overlaid is true if package testing is rewritten. Otherwise WhyNot has the
	// reason.
	Overlaid bool
	WhyNot   string
	// LinkTime is the duration of the link. It is 0 if the binary was kept by an
	// earlier command, or if the compile step made it.
	LinkTime time.Duration

	// home is the package's directory in the user's checkout.
	home string
}

type test struct {
	number int // of the package, for its directory
	once   sync.Once
	err    error
	// base is the binary with the default function order. Its file exists if
	// linked is true.
	base   Binary
	linked bool
	kit    *linkKit
	// links counts the binaries after the base.
	links atomic.Int64

	mu      sync.Mutex
	layouts map[uint64]*layout
}

type layout struct {
	done   chan struct{}
	binary Binary
	err    error
}

// Build compiles the tests of a package that Packages listed, unless that is
// done. It links them in the order that layout chooses: 0 is the linker's
// default, any other number a seed. It may be called from several goroutines,
// and equal calls share their work. The error is a *BuildError with the
// compiler's output. It wraps [ErrNoPackage] or [ErrNoTests] if there is
// nothing to build.
func (v *Variant) Build(ctx context.Context, pkg string, seed uint64) (Binary, error) {
	if v.kept != nil {
		return *v.kept, nil
	}
	t, err := v.compiled(ctx, pkg)
	if err != nil {
		return Binary{}, err
	}
	if layoutsSince(v.GoVersion) != "" {
		seed = 0
	}
	if seed == 0 && t.linked {
		return t.base, nil
	}
	t.mu.Lock()
	l := t.layouts[seed]
	if l == nil {
		l = &layout{done: make(chan struct{})}
		t.layouts[seed] = l
		t.mu.Unlock()
		l.binary, l.err = v.link(ctx, t, seed)
		if l.err != nil && ctx.Err() != nil {
			t.mu.Lock()
			delete(t.layouts, seed) // canceled, not failed
			t.mu.Unlock()
		}
		close(l.done)
		return l.binary, l.err
	}
	t.mu.Unlock()
	select {
	case <-l.done:
		return l.binary, l.err
	case <-ctx.Done():
		return Binary{}, context.Cause(ctx)
	}
}

// Compile compiles the tests of a package that Packages listed, unless that is
// done. It links nothing if the machine code can be read without it, see
// [Variant.Link]. It returns the errors of Build.
func (v *Variant) Compile(ctx context.Context, pkg string) error {
	if v.kept != nil {
		return nil
	}
	_, err := v.compiled(ctx, pkg)
	return err
}

func (v *Variant) compiled(ctx context.Context, pkg string) (*test, error) {
	v.mu.Lock()
	p, ok := v.known[pkg]
	if !ok {
		v.mu.Unlock()
		return nil, v.failPackage(pkg, "find", "", ErrNoPackage)
	}
	t := v.tests[pkg]
	if t == nil {
		v.packages++
		t = &test{number: v.packages, layouts: make(map[uint64]*layout)}
		v.tests[pkg] = t
	}
	v.mu.Unlock()
	t.once.Do(func() { t.err = v.compile(ctx, p, t) })
	if t.err != nil && ctx.Err() != nil { // canceled, not failed: another study may need it
		v.mu.Lock()
		delete(v.tests, pkg)
		v.mu.Unlock()
	}
	return t, t.err
}

// Release removes the binary of a function order, since all binaries of a
// large module would fill the disk. Another call of Build links it again.
func (v *Variant) Release(pkg string, seed uint64) {
	v.mu.Lock()
	t := v.tests[pkg]
	v.mu.Unlock()
	if t == nil || seed == 0 {
		return
	}
	t.mu.Lock()
	l := t.layouts[seed]
	delete(t.layouts, seed)
	t.mu.Unlock()
	if l == nil {
		return
	}
	if <-l.done; l.err == nil {
		os.RemoveAll(filepath.Dir(l.binary.Path))
	}
}

func (v *Variant) failPackage(pkg, step, output string, err error) *BuildError {
	return &BuildError{Variant: v.Spec.Label, Step: step, Package: pkg, Output: output, Err: err}
}

// compile compiles a package, and makes the kit to link its binaries. If there
// can be no kit, it also links the first binary.
func (v *Variant) compile(ctx context.Context, p Package, t *test) (err error) {
	// Variants share the standard library and most other packages. Two go commands
	// that begin with a cold cache would each compile all of them.
	first := false
	v.builder.first.Do(func() { first, err = true, v.compileNow(ctx, p, t) })
	if first {
		return err
	}
	return v.compileNow(ctx, p, t)
}

func (v *Variant) compileNow(ctx context.Context, p Package, t *test) error {
	b := v.builder
	if !p.Tests {
		return v.failPackage(p.Path, "compile", p.Problem, ErrNoTests)
	}
	folder := filepath.Join(v.folder(), fmt.Sprintf("p%03d", t.number))
	name := testName(p.Path)
	if b.Programs {
		name = strings.TrimSuffix(name, ".test")
	}
	name += v.goenv("GOEXE")
	t.base = Binary{
		Path: filepath.Join(folder, fmt.Sprintf("%03d", 0), name), Dir: p.Dir, Env: v.Spec.Env, Pkg: p.Path,
		Overlaid: v.overlay.key != "", WhyNot: v.overlay.whyNot,
		home: v.source.home(p.Dir),
	}
	if v.borrowed != nil && v.borrowed.dirs[p.Path] != "" {
		t.base.Dir = v.borrowed.dirs[p.Path] // with the testdata of its tests
	}
	if err := os.MkdirAll(filepath.Dir(t.base.Path), 0o700); err != nil {
		return v.failPackage(p.Path, "compile", "", err)
	}
	select {
	case b.linking <- struct{}{}:
		defer func() { <-b.linking }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	b.progress("compile %s at %s", p.Path, v.Spec.Label)
	work := filepath.Join(folder, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		return v.failPackage(p.Path, "compile", "", err)
	}
	defer removeAll(work)
	for _, skip := range [][]string{v.skipLink(), nil} {
		args := v.goBuild(p.Path, b.strip(), append([]string{"-x", "-work", "-o", t.base.Path}, skip...)...)
		stdout, stderr, err := v.goCommand(ctx, []string{"GOTMPDIR=" + work}, args...)
		if err != nil {
			return v.explain(ctx, p, printed(stdout, stderr, err), err)
		}
		if !exists(t.base.Path) {
			return v.failPackage(p.Path, "compile", printed(stdout, nil, ErrNoTests), ErrNoTests)
		}
		if v.flags.trouble == "" {
			t.kit = recordLink(string(stderr), work, filepath.Join(folder, "kit"))
		}
		if t.linked = skip == nil; t.linked {
			return nil
		}
		os.Remove(t.base.Path)
		if t.kit != nil {
			return nil
		}
	}
	return nil
}

// skipLink contains the flag of the go command that makes an empty file instead
// of a link. It is empty if the command must link: a program is built as by go
// build, since its size is compared. A shell on Windows changes arguments that look
// like paths.
func (v *Variant) skipLink() []string {
	if _, err := exec.LookPath("sh"); err != nil || runtime.GOOS == "windows" || v.flags.trouble != "" || v.builder.Programs {
		return nil
	}
	return []string{"-toolexec=" + noLink}
}

// noLink runs a tool, unless the tool links.
const noLink = `sh -c 'case $0$1 in */link-o) : >"$2";; *) exec "$0" "$@";; esac'`

// goBuild is the go command that makes a test binary or a program, with words
// for the linker. A program does not contain its revision, since the output of
// the variants might show it.
func (v *Variant) goBuild(pkg string, words []string, flags ...string) []string {
	args := []string{"test", "-c", "-vet=off"}
	if v.builder.Programs {
		args = []string{"build", "-buildvcs=false"}
	}
	return slices.Concat(args, flags, v.flags.linker(words...), v.flags.list(), []string{pkg})
}

// strip contains the linker's flags that omit everything that a worker does not
// need. The first binary of a program is built as by go build, since its size
// is compared.
func (b *Builder) strip() []string {
	if b.Debug || b.Programs {
		return nil
	}
	return []string{"-w"}
}

// explain builds once more without -x, so that the compiler's output is
// separate. It then looks for a reason that the compiler does not report.
func (v *Variant) explain(ctx context.Context, p Package, words string, failure error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	args := v.goBuild(p.Path, v.builder.strip(), "-o", os.DevNull)
	if stdout, stderr, err := v.goCommand(ctx, nil, args...); err != nil {
		words = printed(stdout, stderr, err)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	e := v.failPackage(p.Path, "compile", words, failure)
	if v.borrowed != nil {
		e.Hint = fmt.Sprintf("its code does not build with the tests of %s: without tests=, each variant keeps its own", v.Spec.Tests)
	} else {
		e.Hint = v.hint(ctx)
	}
	return e
}

// hint names the source files in the user's checkout that git does not track.
// Generated code is the usual reason if a revision does not build but the
// working tree does.
func (v *Variant) hint(ctx context.Context) string {
	if v.source.mirror == "" {
		return ""
	}
	others, _, err := v.builder.git(ctx, v.source.userRoot, nil, "ls-files", "--others", "-z", "--", "*.go", "*.s", "*.c", "*.h", "**/vendor/modules.txt", "vendor/modules.txt")
	if err != nil || others == "" {
		return ""
	}
	var absent []string
	for name := range strings.SplitSeq(strings.TrimSuffix(others, "\x00"), "\x00") {
		if !exists(filepath.Join(v.source.root, filepath.FromSlash(name))) {
			absent = append(absent, name)
		}
	}
	if len(absent) == 0 {
		return ""
	}
	return fmt.Sprintf("git does not track %s, so revision %.12s lacks what your checkout has; commit it, or compare kept binaries (bin=FILE)", words.List(absent), v.Commit)
}

func testName(pkg string) string {
	base := path.Base(pkg)
	// As in cmd/go, a major version suffix is not a name.
	if parent := path.Dir(pkg); len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" && parent != "." {
		base = path.Base(parent)
	}
	return base + ".test"
}
