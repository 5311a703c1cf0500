package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/tarebench/tare/cmd/tare/internal/overlay"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// Builder makes the binaries of all variants of a command, for one or several
// studies. The zero value works in the current directory. Its methods, and its
// variants' methods, may be called from several goroutines.
type Builder struct {
	// Dir is the user's directory. If empty, it is the current directory.
	Dir string
	// Flags are build flags of go test for every variant, each one word (-tags=x,
	// -race).
	Flags []string
	// Cache is the directory of files that outlive the builder. If empty, it is
	// tare under os.UserCacheDir.
	Cache string
	// Temp is the directory for worktrees and function orders while the Builder
	// is open. If empty, it is GOTMPDIR, as in go test, or else os.TempDir.
	Temp string
	// Plain disables the rewrite of package testing.
	Plain bool
	// Programs builds the main packages of the patterns instead of tests. A kept
	// binary is then any file.
	Programs bool
	// Progress, if set, receives a line about the current step ("compile ./sort
	// at v1.2"). It may be called from several goroutines.
	Progress func(message string)
	// Exec runs go, git and the linker. If it is nil, the builder runs them.
	Exec Exec

	// Debug keeps debug information in the binaries, for tools that name
	// file:line.
	Debug bool
	// KeepLinks keeps the linked binaries of commits for later builders.
	KeepLinks bool
	// Generate writes the overlay of a toolchain into dir. If it is nil, it is
	// overlay.Generate.
	Generate func(goroot, dir string) (*overlay.Overlay, error)

	mu      sync.Mutex
	dir     string
	parent  string
	run     *slot
	slots   []*slot
	sources map[string]*source
	opened  []*Variant
	number  int // of the next variant
	closed  bool
	linking chan struct{}
	first   sync.Once // compile
	// userWork is the result of userWorkspace, nil before the first call.
	userWork *string
}

// Variant is one variant of a study, ready to be built.
type Variant struct {
	// Spec is the variant as the user typed it.
	Spec Spec
	// Commit is the full hash of the revision, or of a working tree without
	// changes. It is empty for a kept binary.
	Commit string
	// Dirty is true for a working tree that differs from its commit.
	Dirty bool
	// GoVersion is the version of the toolchain ("go1.26.8").
	GoVersion string
	// Dir is the directory in which the commands of the variant run: the user's
	// directory, or its counterpart in the worktree.
	Dir string
	// Findings are about the variant as a whole.
	Findings []finding.Finding

	builder   *Builder
	number    int
	source    *source
	toolchain *toolchain
	flags     flagSet
	env       []string
	overlay   overlaid
	kept      *Binary   // of bin=, nil without it
	borrowed  *testTree // of tests=, nil without it
	// leftOut are the declarations of its tests that are left out, by package.
	leftOut map[string][]string
	// digest is the digest of the kept binary, or of a working tree with
	// changes.
	digest string

	mu       sync.Mutex
	tests    map[string]*test
	packages int // the number of tests that were begun
	known    map[string]Package
	lists    map[string][]Package // by patterns
	sources  map[string]string    // the file to read for each of its Go files
}

// Open prepares a variant until its packages can be listed: the source and the
// toolchain exist, and mod= is applied. It compiles nothing. Equal labels are
// one variant. The error is a *BuildError if a step of the variant failed.
func (b *Builder) Open(ctx context.Context, spec Spec) (*Variant, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.start(); err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(b.opened, func(v *Variant) bool { return v.Spec.Label == spec.Label }); i >= 0 {
		return b.opened[i], nil
	}
	v := &Variant{Spec: spec, builder: b, number: b.number, tests: make(map[string]*test), known: make(map[string]Package), lists: make(map[string][]Package), sources: make(map[string]string), leftOut: make(map[string][]string)}
	b.number++
	if err := b.open(ctx, v); err != nil {
		return nil, err
	}
	b.opened = append(b.opened, v)
	return v, nil
}

func (b *Builder) open(ctx context.Context, v *Variant) (err error) {
	spec := v.Spec
	if spec.Bin != "" {
		return v.openKept()
	}
	if v.source, err = b.source(ctx, spec); err != nil {
		return err
	}
	v.Commit, v.Dirty, v.Dir, v.digest = v.source.commit, v.source.dirty, v.source.dir, v.source.digest
	v.Findings = append(v.Findings, v.source.findings...)
	if v.source.missing {
		return nil
	}
	if v.toolchain, err = b.toolchain(ctx, v); err != nil {
		return err
	}
	v.GoVersion = v.toolchain.version
	if err := b.runsHere(ctx, v); err != nil {
		return err
	}
	if err := v.openTests(ctx); err != nil {
		return err
	}
	return v.prepare(ctx)
}

func (b *Builder) start() error {
	switch {
	case b.closed:
		return errors.New("open variant: the builder is closed")
	case b.run != nil:
		return nil
	}
	var err error
	if b.dir, err = filepath.Abs(b.Dir); err != nil {
		return fmt.Errorf("find directory: %w", err)
	}
	// git and go report real paths, and so does this package.
	if b.dir, err = filepath.EvalSymlinks(b.dir); err != nil {
		return fmt.Errorf("find directory: %w", err)
	}
	if b.Cache == "" {
		folder, err := os.UserCacheDir()
		if err != nil {
			folder = filepath.Join(os.TempDir(), userFolder()) // checked below
		}
		b.Cache = filepath.Join(folder, "tare")
	}
	if b.Exec == nil {
		b.Exec = executor(drainDelay)
	}
	if b.Generate == nil {
		b.Generate = overlay.Generate
	}
	run, err := takeSlot(b.Temp, "run")
	if err != nil {
		return err
	}
	b.parent = filepath.Dir(run.dir)
	temp := filepath.Join(run.dir, "tmp")
	if err := os.Mkdir(temp, 0o700); err != nil {
		return errors.Join(fmt.Errorf("make temporary folder: %w", err), run.release())
	}
	b.run, b.Exec = run, b.Exec.inTemp(temp)
	b.sources = make(map[string]*source)
	b.linking = make(chan struct{}, runtime.GOMAXPROCS(0))
	return nil
}

// Scratch is a directory for temporary files of the variants. Close removes it,
// or the next start after a kill. It is "" before the first Open.
func (b *Builder) Scratch() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.run == nil {
		return ""
	}
	return filepath.Join(b.run.dir, "tmp")
}

// Close removes the worktrees and all temporary files. Binaries that the study
// needs must have been kept before (see [Keep]).
func (b *Builder) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || b.run == nil {
		b.closed = true
		return nil
	}
	b.closed = true
	b.pruneLinks()
	var err error
	for _, s := range append(b.slots, b.run) {
		err = errors.Join(err, s.release())
	}
	os.Remove(b.parent) // if it is empty
	if err != nil {
		return fmt.Errorf("clear temporary files: %w", err)
	}
	return nil
}

func (b *Builder) progress(format string, args ...any) {
	if b.Progress != nil {
		b.Progress(fmt.Sprintf(format, args...))
	}
}

func fail(spec Spec, step, output string, err error, hint string) *BuildError {
	return &BuildError{Variant: spec.Label, Step: step, Output: output, Err: err, Hint: hint}
}

// Result returns the variant in the form of a recording.
func (v *Variant) Result() result.Variant {
	flags := append([]string(nil), v.Spec.Flags...)
	for _, mod := range v.Spec.Mods {
		flags = append(flags, "mod="+mod)
	}
	if v.Spec.Tests != "" {
		flags = append(flags, "tests="+v.Spec.Tests)
	}
	return result.Variant{
		Label: v.Spec.Label, Revision: v.Commit, Dirty: v.Dirty, Go: v.GoVersion,
		Tags: strings.Join(v.Spec.Tags, ","), Flags: flags, Env: append([]string(nil), v.Spec.Env...), Digest: v.digest,
	}
}
