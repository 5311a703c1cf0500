package session

import (
	"context"
	"go/scanner"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/file"
)

// ChangedElsewhere are the packages of the module, or of the main modules of the
// workspace, whose source differs between the first variant and variant v, and
// that no program of the variants contains. Tests and comments do not count.
func (c *Code) ChangedElsewhere(ctx context.Context, v int) (packages []string) {
	roots := make(map[string]bool)
	for _, pkg := range c.sides.packages {
		before, after := c.sides.list[0].packageOf(pkg).Dir, c.sides.list[v].packageOf(pkg).Dir
		if before == "" || after == "" {
			continue // kept binaries
		}
		old, new := moduleRoot(before), moduleRoot(after)
		if old == new || roots[new] {
			continue
		}
		roots[new] = true
		data, err := file.ReadNamed(filepath.Join(new, "go.mod"))
		if err != nil {
			continue
		}
		for _, dir := range changedDirs(ctx, old, new) {
			at := path.Join(modfile.ModulePath(data), dir)
			if !slices.Contains(c.sides.packages, at) && !c.contains(v, at) {
				packages = append(packages, at)
			}
		}
	}
	slices.Sort(packages)
	return packages
}

func (c *Code) contains(v int, pkg string) bool {
	return slices.ContainsFunc(c.sides.packages, func(of string) bool {
		one := c.Comparison(of, v)
		return one != nil && one.Contains(pkg)
	})
}

// changedDirs are the directories of a module, below its root, whose package differs
// from that in another tree.
func changedDirs(ctx context.Context, old, new string) (dirs []string) {
	changed, _ := build.ChangedFiles(ctx, old, new, compiled) // what cannot be read has no package
	for _, name := range changed {
		dir := path.Dir(name)
		files, err := os.ReadDir(filepath.Join(new, dir))
		remains := err == nil && slices.ContainsFunc(files, func(f os.DirEntry) bool { return compiled(f.Name()) })
		if !remains || slices.Contains(dirs, dir) || moduleRoot(filepath.Join(new, dir)) != new {
			continue
		}
		a, aerr := file.ReadNamed(filepath.Join(old, name))
		b, berr := file.ReadNamed(filepath.Join(new, name))
		if aerr != nil || berr != nil || !slices.Equal(tokens(a), tokens(b)) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// compiled selects the files that are compiled outside of the tests of a module.
func compiled(name string) bool {
	omitted := func(dir string) bool { return dir == "testdata" || dir == "vendor" || strings.HasPrefix(dir, "_") }
	return (strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, ".s")) &&
		!slices.ContainsFunc(strings.Split(path.Dir(name), "/"), omitted)
}

// tokens are the tokens of a Go file, without its comments and space.
func tokens(text []byte) (all []string) {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), text, nil, 0)
	for {
		switch _, t, word := s.Scan(); t {
		case token.EOF:
			return all
		case token.SEMICOLON: // it may be the end of a line
		default:
			all = append(all, t.String()+word)
		}
	}
}
