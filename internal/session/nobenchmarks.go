package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// noBenchmarks is the error of patterns without a benchmark. It names packages
// that have some, and modules below the folder, whose packages ./... does not
// hold.
func (v *sides) noBenchmarks(ctx context.Context, patterns []string) error {
	one := v.list[len(v.list)-1] // the new side
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
		return fmt.Errorf("find benchmarks: no package of %s has any, but %s: name these, or ./... for all", where, some(have, "has some", "have some"))
	}
	if modules := modulesBelow(one.Dir); len(modules) > 0 {
		return fmt.Errorf("find benchmarks: no package of %s has any, and %s: run tare in that folder", where, some(modules, "is a module of its own", "are modules of their own"))
	}
	return fmt.Errorf("find benchmarks: no package of %s has any, nor has one below this folder: name other packages", where)
}

// some names up to three and says what they are.
func some(names []string, is, are string) string {
	const most = 3
	switch n := len(names); {
	case n == 1:
		return names[0] + " " + is
	case n > most:
		return fmt.Sprintf("%s and %d more %s", strings.Join(names[:most], ", "), n-most, are)
	}
	return strings.Join(names, ", ") + " " + are
}

// mostEntries bounds the search for modules.
const mostEntries = 20_000

// modulesBelow lists folders below dir that have a go.mod, without those that
// the go command ignores.
func modulesBelow(dir string) (modules []string) {
	seen := 0
	done := errors.New("enough")
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be read holds no hint
		}
		if seen++; seen > mostEntries {
			return done
		}
		name := d.Name()
		if d.IsDir() && path != dir && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" || name == "vendor" || name == "node_modules") {
			return fs.SkipDir
		}
		if !d.IsDir() && name == "go.mod" && filepath.Dir(path) != dir {
			if rel, err := filepath.Rel(dir, filepath.Dir(path)); err == nil {
				modules = append(modules, filepath.ToSlash(rel))
			}
		}
		return nil
	})
	return modules
}
