package session

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// noBenchmarks is the error of patterns without a benchmark. It names packages
// that have some, and modules below the directory, whose packages ./... does
// not include.
func (v *sides) noBenchmarks(ctx context.Context, patterns []string) error {
	one := v.list[len(v.list)-1] // the new variant
	where := strings.Join(patterns, " ")
	var have []string
	packages, err := one.Packages(ctx, "./...")
	if err == nil {
		for _, p := range packages {
			if rel, err := filepath.Rel(one.Dir, p.Dir); err == nil && p.Benchmarks {
				have = append(have, "./"+filepath.ToSlash(rel))
			}
		}
	}
	if len(have) > 0 {
		return fmt.Errorf("find benchmarks: no package of %s has any, but %s: name these, or use ./... for all", where, upToThree(have, "has some", "have some"))
	}
	if modules := modulesBelow(one.Dir); len(modules) > 0 {
		return fmt.Errorf("find benchmarks: no package of %s has any, and %s: run tare in that directory", where, upToThree(modules, "is a separate module", "are separate modules"))
	}
	return fmt.Errorf("find benchmarks: no package of %s has any, and none below this directory: name other packages", where)
}

// upToThree names up to three things in a sentence with is or are.
func upToThree(names []string, is, are string) string {
	const most = 3
	switch n := len(names); {
	case n == 1:
		return names[0] + " " + is
	case n > most:
		return fmt.Sprintf("%s and %d more %s", strings.Join(names[:most], ", "), n-most, are)
	}
	return strings.Join(names, ", ") + " " + are
}

// mostEntries limits the search for modules.
const mostEntries = 20_000

// modulesBelow lists directories below dir that have a go.mod, unless the go
// command ignores them.
func modulesBelow(dir string) (modules []string) {
	seen := 0
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // an unreadable directory has no hint
		}
		if seen++; seen > mostEntries {
			return fs.SkipAll
		}
		name := d.Name()
		if d.IsDir() && path != dir && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" || name == "vendor" || name == "node_modules") {
			return fs.SkipDir
		}
		if rel, err := filepath.Rel(dir, filepath.Dir(path)); err == nil && rel != "." && name == "go.mod" && !d.IsDir() {
			modules = append(modules, filepath.ToSlash(rel))
		}
		return nil
	})
	return modules
}
