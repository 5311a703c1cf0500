package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/study"
	"github.com/tarebench/tare/internal/finding"
)

type sides struct {
	builder     *build.Builder
	ownsBuilder bool // the builder is only for this session
	list        []*side
	sources     []study.Source
	packages    []string
	variants    []result.Variant
	findings    []finding.Finding
	// functions are the benchmark functions of the packages.
	functions []study.Function
}

func openSides(ctx context.Context, spec Spec, step func(string)) (*sides, error) {
	v := &sides{builder: spec.Builder}
	if v.builder == nil {
		v.builder, v.ownsBuilder = spec.NewBuilder(step), true
	}
	err := v.open(ctx, spec)
	if err == nil && spec.NewTests {
		err = v.borrowTests(ctx, spec.Packages, seconds(spec.TimeoutSeconds))
	}
	if err == nil && !spec.Split {
		err = v.ownTests(ctx, spec.Packages)
	}
	if err != nil {
		return nil, errors.Join(err, v.close())
	}
	return v, nil
}

// NewBuilder makes a builder for the sessions of a command, which closes it.
func (s Spec) NewBuilder(step func(string)) *build.Builder {
	return &build.Builder{Dir: s.Dir, Progress: step, Flags: TagFlags(s.Tags), Programs: len(s.Exec) > 0}
}

// close closes a builder that no other session uses.
func (v *sides) close() error {
	if !v.ownsBuilder {
		return nil
	}
	return v.builder.Close()
}

func TagFlags(tags []string) []string {
	if len(tags) == 0 {
		return nil
	}
	return []string{"-tags=" + strings.Join(tags, ",")}
}

// openAll opens the variants. It returns each once, with its packages or the error of
// their list.
func (v *sides) openAll(ctx context.Context, spec Spec) (all []*side, err error) {
	specs, patterns := spec.Variants, spec.Packages
	programs, err := spec.programs()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var listed sync.WaitGroup
	defer func() {
		if err != nil {
			cancel()
		}
		listed.Wait()
		cancel()
	}()
	for i, spec := range specs {
		if k := slices.IndexFunc(specs[:i], func(s build.Spec) bool { return s.Label == spec.Label }); k >= 0 {
			v.list = append(v.list, v.list[k])
			v.sources = append(v.sources, sameSide{v.list[k]})
			v.variants = append(v.variants, v.variants[k])
			continue
		}
		opened, err := v.builder.Open(ctx, spec)
		if err != nil {
			return all, err
		}
		one := &side{Variant: opened, program: programs[i]}
		v.list = append(v.list, one)
		v.sources = append(v.sources, one)
		v.variants = append(v.variants, opened.Result())
		all = append(all, one)
		listed.Go(func() { one.packages, one.err = one.Packages(ctx, patterns...) })
	}
	return all, nil
}

func (v *sides) open(ctx context.Context, spec Spec) error {
	patterns := spec.Packages
	all, err := v.openAll(ctx, spec)
	if err != nil {
		return err
	}
	var problems []error
	for _, one := range all {
		if one.err != nil {
			return v.noModule(one.err, spec)
		}
		v.findings = append(v.findings, one.Findings...)
		for _, p := range one.packages {
			if p.Benchmarks {
				v.addFunctions(p.Path, p.Functions)
			}
			switch {
			case p.Benchmarks && !slices.Contains(v.packages, p.Path):
				v.packages = append(v.packages, p.Path)
			case p.Problem != "" && !p.Benchmarks:
				problems = append(problems, fmt.Errorf("list packages of %s: %s%s", one.Spec.Label, p.Problem, mistaken(ctx, spec.Dir, patterns)))
			}
		}
	}
	if len(v.packages) > 0 {
		return nil
	}
	if len(problems) > 0 && !strings.Contains(problems[0].Error(), "no Go files in") {
		return v.noModule(problems[0], spec)
	}
	for _, pattern := range patterns {
		if folder := strings.TrimSuffix(pattern, "/..."); strings.HasPrefix(pattern, ".") && !isFolder(folder) {
			return fmt.Errorf("find benchmarks: no directory %s", folder)
		}
	}
	return v.noBenchmarks(ctx, spec)
}

// mistaken is advice about a directory or a revision in the place of an import path.
func mistaken(ctx context.Context, dir string, patterns []string) string {
	for _, pattern := range patterns {
		if strings.HasPrefix(pattern, ".") || filepath.IsAbs(pattern) {
			continue
		}
		if isFolder(strings.TrimSuffix(pattern, "/...")) {
			return ": write the directory as ./" + pattern
		}
		if _, err := process.Run(ctx, dir, "git", "rev-parse", "--quiet", "--verify", "--end-of-options", pattern+"^{commit}"); err == nil {
			return ": it is a revision, and tare compare takes two: -with names one more"
		}
	}
	return ""
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// keep puts the binaries of every variant and package into the study's directory,
// so that bin= can run them later.
func (v *sides) keep(folder string) error {
	for i, one := range v.list {
		for _, pkg := range v.packages {
			bin, ok := one.base(pkg)
			if !ok || one.runsAsIs() {
				continue
			}
			name := KeptName(pkg, i)
			if _, err := build.Keep(bin, folder, name); err != nil {
				return fmt.Errorf("keep binary of %s: %w", one.Spec.Label, err)
			}
		}
	}
	return nil
}

// KeptName is the file name of a variant's test binary in a study's directory.
func KeptName(pkg string, variant int) string {
	return fmt.Sprintf("%s.%d.test", strings.NewReplacer("/", "_", `\`, "_", ":", "_").Replace(pkg), variant)
}

type side struct {
	*build.Variant
	packages []build.Package // that the patterns name
	err      error           // of the list of packages
	// borrowing has the packages that are built with the tests of another variant.
	borrowing map[string]*borrowing
	program   *program // of the variant, nil for tests

	mu    sync.Mutex
	bases map[string]build.Binary
}

func (s *side) Binary(ctx context.Context, pkg string, layout uint64) (study.Binary, error) {
	bin, err := s.Build(ctx, pkg, layout)
	if errors.Is(err, build.ErrNoPackage) || errors.Is(err, build.ErrNoTests) {
		return study.Binary{}, fmt.Errorf("%w: %w", study.ErrAbsent, err)
	}
	if err != nil {
		return study.Binary{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if layout == 0 {
		if s.bases == nil {
			s.bases = make(map[string]build.Binary)
		}
		s.bases[pkg] = bin
	}
	extra := build.Environment(bin.Env)
	out := study.Binary{
		Path: bin.Path, Dir: bin.Dir, Env: append(os.Environ(), extra...), Extra: extra,
		Overlaid: bin.Overlaid, WhyNot: bin.WhyNot, Layout: bin.Layout, LinkTime: bin.LinkTime,
	}
	if b := s.borrowing[pkg]; b != nil {
		out.Finding = b.finding(s.Spec.Label, pkg)
	}
	if p := s.program; p != nil {
		out.Command, out.Dir, out.Program = p.words, p.dir, p.name
		if p.name == "" {
			out.Program = strings.TrimSuffix(filepath.Base(bin.Path), ".exe")
		}
	}
	return out, nil
}

func (s *side) base(pkg string) (build.Binary, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	bin, ok := s.bases[pkg]
	return bin, ok
}

// sameSide is the other side of a comparison of a variant with itself. It has
// the same binaries: the study runs copies.
type sameSide struct{ *side }

// Original is the first side, which links.
func (t sameSide) Original() study.Source { return t.side }

// Release leaves the binary for the first side to remove.
func (t sameSide) Release(pkg string, layout uint64) {}
