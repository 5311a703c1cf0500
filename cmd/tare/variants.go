package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/tarebench/tare/finding"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/study"
	"github.com/tarebench/tare/internal/variant"
)

// variants are the sides of a study, ready to be built.
type variants struct {
	builder  *variant.Builder
	opened   []*variant.Variant
	sources  []study.Source
	packages []string
	variants []result.Variant
	findings []finding.Finding
}

// openVariants resolves what the user typed, and lists the packages of all
// sides that have benchmarks.
func openVariants(ctx context.Context, dir string, specs, patterns, tags []string, say func(string)) (*variants, error) {
	b := &variant.Builder{Dir: dir, Progress: say}
	if len(tags) > 0 {
		b.Flags = []string{"-tags=" + strings.Join(tags, ",")}
	}
	v := &variants{builder: b}
	if err := v.open(ctx, specs, patterns); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return v, nil
}

func (v *variants) open(ctx context.Context, specs, patterns []string) error {
	parsed := make([]variant.Spec, len(specs))
	for i, text := range specs {
		var err error
		if parsed[i], err = variant.Parse(text); err != nil {
			return &exitError{exitUsage, err}
		}
	}
	var problems []error
	for i, spec := range parsed {
		side, err := v.builder.Open(ctx, spec)
		if err != nil {
			return err
		}
		v.opened = append(v.opened, side)
		v.sources = append(v.sources, &source{Variant: side, linked: make(map[string]string)})
		v.variants = append(v.variants, side.Result())
		v.findings = append(v.findings, side.Findings...)
		packages, err := side.Packages(ctx, patterns...)
		if err != nil {
			return err
		}
		for _, p := range packages {
			switch {
			case p.Benchmarks && !slices.Contains(v.packages, p.Path):
				v.packages = append(v.packages, p.Path)
			case p.Problem != "" && !p.Benchmarks:
				problems = append(problems, fmt.Errorf("list packages of %s: %s%s", specs[i], p.Problem, forgotten(patterns)))
			}
		}
	}
	if len(v.packages) > 0 {
		return nil
	}
	if len(problems) > 0 {
		return problems[0]
	}
	for _, pattern := range patterns {
		if folder := strings.TrimSuffix(pattern, "/..."); strings.HasPrefix(pattern, ".") && !isFolder(folder) {
			return fmt.Errorf("find benchmarks: there is no folder %s", folder)
		}
	}
	return fmt.Errorf("find benchmarks: no package of %s has any: name the packages, as in ./... for all", strings.Join(patterns, " "))
}

// forgotten is advice about a folder that was written like an import path.
func forgotten(patterns []string) string {
	for _, pattern := range patterns {
		if folder := strings.TrimSuffix(pattern, "/..."); !strings.HasPrefix(pattern, ".") && !filepath.IsAbs(pattern) && isFolder(folder) {
			return ": the folder is written ./" + pattern
		}
	}
	return ""
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func (v *variants) close() error { return v.builder.Close() }

// keep puts the binaries of every variant and package into the study's
// folder, so that bin= can run them later.
func (v *variants) keep(folder string) error {
	for i, side := range v.opened {
		for _, pkg := range v.packages {
			bin, ok := v.sources[i].(*source).base(pkg)
			if !ok {
				continue
			}
			name := fmt.Sprintf("%s.%d.test", strings.NewReplacer("/", "_", `\`, "_", ":", "_").Replace(pkg), i)
			if _, err := variant.Keep(bin, folder, name); err != nil {
				return fmt.Errorf("keep binary of %s: %w", side.Spec.Label, err)
			}
		}
	}
	return nil
}

// source is a variant as the study sees it.
type source struct {
	*variant.Variant
	mu     sync.Mutex
	bases  map[string]variant.Binary
	linked map[string]string // layout binaries by package and seed
}

func (s *source) Binary(ctx context.Context, pkg string, layout uint64) (study.Binary, error) {
	bin, err := s.Build(ctx, pkg, layout)
	if errors.Is(err, variant.ErrNoPackage) || errors.Is(err, variant.ErrNoTests) {
		return study.Binary{}, fmt.Errorf("%w: %w", study.ErrAbsent, err)
	}
	if err != nil {
		return study.Binary{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if layout == 0 {
		if s.bases == nil {
			s.bases = make(map[string]variant.Binary)
		}
		s.bases[pkg] = bin
	} else if bin.Layout == layout {
		s.linked[layoutKey(pkg, layout)] = bin.Path
	}
	return study.Binary{
		Path: bin.Path, Dir: bin.Dir, Env: append(os.Environ(), bin.Env...),
		Overlaid: bin.Overlaid, WhyNot: bin.WhyNot, Layout: bin.Layout, LinkTime: bin.LinkTime,
	}, nil
}

func layoutKey(pkg string, layout uint64) string { return fmt.Sprintf("%s\x00%d", pkg, layout) }

// base is the binary with the default layout, if it was built.
func (s *source) base(pkg string) (variant.Binary, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	bin, ok := s.bases[pkg]
	return bin, ok
}

// Release removes the file of a layout: those of a large module would fill
// the disk.
func (s *source) Release(pkg string, layout uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if path := s.linked[layoutKey(pkg, layout)]; path != "" {
		os.RemoveAll(filepath.Dir(path))
		delete(s.linked, layoutKey(pkg, layout))
	}
}
