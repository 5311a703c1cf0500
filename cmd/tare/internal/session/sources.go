package session

import (
	"bytes"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/tarebench/tare/cmd/tare/internal/file"
)

// ChangedElsewhere are the packages of the module, or of the main modules of the
// workspace, whose source differs between the first variant and variant v, and
// that no program of the variants contains. Tests and comments do not count.
func (c *Code) ChangedElsewhere(v int) (packages []string) {
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
		for _, dir := range changedDirs(old, new) {
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
func changedDirs(old, new string) (dirs []string) {
	before, after := sources(old), sources(new)
	for dir, names := range after {
		same := slices.Equal(before[dir], names)
		for _, name := range names {
			if same {
				a, aerr := file.ReadNamed(filepath.Join(old, dir, name))
				b, berr := file.ReadNamed(filepath.Join(new, dir, name))
				same = aerr == nil && berr == nil && sameTokens(a, b)
			}
		}
		if !same {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// sources are the names of the files of a module that are compiled outside of its
// tests, by directory below its root.
func sources(root string) map[string][]string {
	all := make(map[string][]string)
	fs.WalkDir(os.DirFS(root), ".", func(at string, d fs.DirEntry, err error) error {
		dir, name := path.Split(at)
		switch {
		case err != nil || at == ".":
		case d.IsDir():
			if _, err := os.Stat(filepath.Join(root, at, "go.mod")); err == nil || name == "testdata" || name == "vendor" || strings.ContainsAny(name[:1], "._") {
				return fs.SkipDir
			}
		case d.Type().IsRegular() && (strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, ".s")):
			all[path.Clean(dir)] = append(all[path.Clean(dir)], name)
		}
		return nil
	})
	return all
}

// sameTokens reports whether two files of Go differ at most in comments and space.
func sameTokens(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	next := func(text []byte) func() (token.Token, string) {
		var s scanner.Scanner
		s.Init(token.NewFileSet().AddFile("", -1, len(text)), text, nil, 0)
		return func() (t token.Token, word string) {
			for t = token.SEMICOLON; t == token.SEMICOLON; { // it may be the end of a line
				_, t, word = s.Scan()
			}
			return t, word
		}
	}
	one, other := next(a), next(b)
	for {
		t, word := one()
		u, also := other()
		if t != u || word != also {
			return false
		}
		if t == token.EOF {
			return true
		}
	}
}
