package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/finding"
)

// borrowing is a package of a variant, built with the tests of another variant
// if they build.
type borrowing struct {
	*build.Variant        // built with tests=
	from           string // the label of the other variant
	// benchmarks builds with these tests without what no benchmark reaches. It is nil
	// if the user gave the variants their tests.
	benchmarks func() (*build.Variant, error)
	// differ are the benchmarks that the variants do not have alike.
	differ  []string
	timeout time.Duration
	once    sync.Once
	err     error // why the variant has its own tests
}

// borrowTests builds every variant with the tests of the second one, in the
// packages whose tests differ. A new benchmark is then measured in both
// variants, and a change of the benchmark is not a change of the code.
func (v *sides) borrowTests(ctx context.Context, patterns []string, timeout time.Duration) error {
	if len(v.list) < 2 || v.list[1].Spec.Revision == "" || v.list[1].Spec.Tests != "" {
		return nil
	}
	from := v.list[1]
	for _, one := range v.list {
		if one == from || one.Spec.Revision == "" || one.Spec.Revision == from.Spec.Revision || one.Spec.Tests != "" {
			continue
		}
		var differ []string
		for _, p := range from.packages {
			if p.Tests && !build.SameTests(p, one.packageOf(p.Path)) {
				differ = append(differ, p.Path)
			}
		}
		if len(differ) == 0 {
			continue
		}
		spec := one.Spec.WithTests(from.Spec.Revision)
		with, err := openListed(ctx, v.builder, spec, patterns)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		benchmarks := sync.OnceValues(func() (*build.Variant, error) {
			spec.BenchmarksOnly, spec.Label = true, spec.Label+", benchmarks only"
			return openListed(ctx, v.builder, spec, patterns)
		})
		one.borrowing = make(map[string]*borrowing)
		for _, pkg := range differ {
			one.borrowing[pkg] = &borrowing{Variant: with, from: from.Spec.Label, benchmarks: benchmarks, timeout: timeout, err: err,
				differ: build.DifferentBenchmarks(one.packageOf(pkg), from.packageOf(pkg))}
		}
	}
	return nil
}

// openListed opens a variant and lists the packages that it can then build.
func openListed(ctx context.Context, b *build.Builder, spec build.Spec, patterns []string) (*build.Variant, error) {
	v, err := b.Open(ctx, spec)
	if err == nil {
		_, err = v.Packages(ctx, patterns...)
	}
	return v, err
}

// ownTests marks the packages in which a variant was given tests that have other
// benchmarks than the first variant has.
func (v *sides) ownTests(ctx context.Context, patterns []string) error {
	for _, one := range v.list {
		first := v.list[0]
		if first.Spec.Tests+one.Spec.Tests == "" {
			continue
		}
		old, err := v.testsOf(ctx, first, patterns)
		new, other := v.testsOf(ctx, one, patterns)
		if err = errors.Join(err, other); err != nil {
			return err
		}
		for _, p := range new {
			i := slices.IndexFunc(old, func(o build.Package) bool { return o.Path == p.Path })
			if i < 0 || sameTests(first, one, p.Path) {
				continue
			}
			isNew := func(name string) bool { return !slices.Contains(old[i].Functions, name) }
			if differ := slices.DeleteFunc(build.DifferentBenchmarks(old[i], p), isNew); len(differ) > 0 {
				if first.borrowing == nil {
					first.borrowing = make(map[string]*borrowing)
				}
				first.borrowing[p.Path] = &borrowing{from: one.Spec.Label, differ: differ, err: errors.New("other work in " + words.List(differ))}
			}
		}
	}
	return nil
}

// testsOf are the packages of a variant, as the revision of its tests has them.
func (v *sides) testsOf(ctx context.Context, s *side, patterns []string) ([]build.Package, error) {
	if s.Spec.Tests == "" || s.Spec.Tests == s.Spec.Revision {
		return s.packages, nil
	}
	with, err := v.builder.Open(ctx, build.Spec{Label: s.Spec.Tests, Revision: s.Spec.Tests})
	if err != nil {
		return nil, err
	}
	return with.Packages(ctx, patterns...)
}

// SplitVariants are old and new code with their own tests, old code with the new
// tests, and new code with the old tests.
func SplitVariants(sides []build.Spec) ([]build.Spec, error) {
	if len(sides) != 2 {
		return nil, errors.New("flag -split: it compares two variants: remove -with")
	}
	for i, one := range sides {
		if one.Revision == "" || one.Tests != "" {
			return nil, fmt.Errorf("flag -split: %s: want two revisions, without tests=", one.Label)
		}
		other := sides[1-i].Revision
		if other == one.Revision {
			return nil, errors.New("flag -split: both variants have the same tests")
		}
		sides = append(sides, one.WithTests(other))
	}
	return sides, nil
}

func (s *side) packageOf(pkg string) build.Package {
	for _, p := range s.packages {
		if p.Path == pkg {
			return p
		}
	}
	return build.Package{}
}

func (s *side) variantFor(pkg string) *build.Variant {
	if b := s.borrowing[pkg]; b != nil && b.err == nil {
		return b.Variant
	}
	return s.Variant
}

func sameTests(a, b *side, pkg string) bool {
	old, new := a.variantFor(pkg).Spec, b.variantFor(pkg).Spec
	switch {
	case old.Bin+new.Bin != "":
		return false
	case old.Tests+new.Tests != "":
		return cmp.Or(old.Tests, old.Revision) == cmp.Or(new.Tests, new.Revision)
	}
	return build.SameTests(a.packageOf(pkg), b.packageOf(pkg))
}

// Build is [build.Variant.Build], with the tests of the other variant if the
// package builds and starts with them.
func (s *side) Build(ctx context.Context, pkg string, layout uint64) (build.Binary, error) {
	if b := s.borrowing[pkg]; b != nil {
		b.once.Do(func() {
			if b.err != nil {
				return
			}
			if b.err = b.try(ctx, pkg); b.err == nil || ctx.Err() != nil {
				return
			}
			if benchmarks, err := b.benchmarks(); err == nil {
				whole := b.Variant
				if b.Variant = benchmarks; b.try(ctx, pkg) == nil {
					b.err = nil
				} else {
					b.Variant = whole
				}
			}
		})
		if ctx.Err() != nil {
			return build.Binary{}, context.Cause(ctx)
		}
	}
	return s.variantFor(pkg).Build(ctx, pkg, layout)
}

// Compile is [build.Variant.Compile] of the variant that builds the package.
func (s *side) Compile(ctx context.Context, pkg string) error {
	if s.borrowing[pkg] == nil {
		return s.Variant.Compile(ctx, pkg)
	}
	_, err := s.Build(ctx, pkg, 0)
	return err
}

// try builds a package with the tests of the other variant and lists its
// benchmarks, since TestMain may need missing code.
func (b *borrowing) try(ctx context.Context, pkg string) error {
	bin, err := b.Build(ctx, pkg, 0)
	if err != nil {
		return err
	}
	ctx, cancel := process.Within(ctx, b.timeout)
	defer cancel()
	cmd := process.Command(ctx, bin.Path, "-test.list=^Benchmark")
	cmd.Dir, cmd.Env = bin.Dir, append(cmd.Environ(), build.Environment(bin.Env)...)
	out, err := process.Text(cmd)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(out))
	}
	return nil
}

// Link is [build.Variant.Link] of the variant that builds the package.
func (s *side) Link(pkg string) (dir, tool string, args []string, ok bool) {
	return s.variantFor(pkg).Link(pkg)
}

// Release is [build.Variant.Release] of the variant that builds the package.
func (s *side) Release(pkg string, layout uint64) { s.variantFor(pkg).Release(pkg, layout) }

func (b *borrowing) finding(label, pkg string) *finding.Finding {
	variant, from := finding.Text("variant", label), finding.Text("from", b.from)
	if b.err != nil {
		does := "does not build with"
		if b.benchmarks == nil {
			does = "was not given"
		}
		f := catalog.OwnTests.Of(pkg, variant, from, finding.Text("does", does), finding.Text("why", firstReason(b.err)), finding.Text("differ", strings.Join(b.differ, " ")))
		if b.benchmarks == nil {
			f.Action = "-split without tests= shows tests and code apart"
		}
		return &f
	}
	without := ""
	if leftOut := b.LeftOut(pkg); len(leftOut) > 0 {
		without = ", and it does not build with " + words.List(leftOut) + ", which no benchmark needs"
	}
	f := catalog.NewTests.Of(pkg, variant, from, finding.Text("without", without))
	return &f
}

func firstReason(err error) string {
	if failed, ok := errors.AsType[*build.BuildError](err); ok && failed.Output != "" {
		return words.FirstLine(failed.Output)
	}
	return words.FirstLine(err.Error())
}
