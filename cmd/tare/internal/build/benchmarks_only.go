package build

import (
	"bytes"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/file"
)

// A benchmark of new tests often measures old code as well, but a test beside it
// calls what only the new code has. So if old code does not build with the new
// tests, it is built without the declarations that no benchmark reaches. They are
// blanked in a copy, so that lines keep their numbers. A declaration is reached if
// its name occurs in one that is, so that some may stay without need, and then the
// build fails as before.

// benchmarksOnly gives the variant copies of the test files of a package without
// what no benchmark reaches.
func (v *Variant) benchmarksOnly(p *listed, names map[string]string) error {
	rel, err := filepath.Rel(v.borrowed.root, realPath(p.Dir))
	if err != nil || strings.HasPrefix(rel, "..") {
		return nil
	}
	t := testFiles{fset: token.NewFileSet(), names: names}
	for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
		text, err := file.ReadNamed(filepath.Join(p.Dir, name))
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(t.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		t.files, t.texts = append(t.files, file), append(t.texts, text)
	}
	v.leftOut[p.ImportPath] = t.leaveOut()
	for i, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
		dir := filepath.Join(v.folder(), "tests", rel)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), t.texts[i], 0o600); err != nil {
			return err
		}
		v.overlay.replace[filepath.Join(v.source.root, rel, name)] = filepath.Join(dir, name)
	}
	return nil
}

// DifferentBenchmarks are the benchmark functions that two packages do not have
// alike, with everything that they reach in the test files, the files that these
// name, and the packages that only tests import.
func DifferentBenchmarks(a, b Package) (names []string) {
	old, new := reaches(a), reaches(b)
	for name, text := range new {
		if old[name] != text {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func reaches(of Package) map[string]string {
	t := testFiles{fset: token.NewFileSet()}
	for _, name := range of.tests {
		text, err := file.ReadNamed(name)
		if err != nil {
			continue
		}
		if file, err := parser.ParseFile(t.fset, name, text, parser.ParseComments|parser.SkipObjectResolution); err == nil {
			t.files, t.texts = append(t.files, file), append(t.texts, text)
		}
	}
	all, parts := make(map[string]string), t.parts()
	own := make([][]string, len(parts))
	for _, root := range parts {
		if f, ok := root.node.(*ast.FuncDecl); !ok || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Benchmark") {
			continue
		}
		reached := map[string]bool{root.names[0]: true, "TestMain": true, "init": true}
		used := reach(parts, reached)
		var texts []string
		for i, p := range parts {
			if used[i] && own[i] == nil {
				text := string(t.texts[p.file][t.fset.Position(p.node.Pos()).Offset:t.fset.Position(p.node.End()).Offset])
				own[i] = append(inputs(of, p.node), text)
			}
			if used[i] {
				texts = append(texts, own[i]...)
			}
		}
		for _, helper := range of.helpers {
			if t.imports(helper, reached) {
				texts = append(texts, hashes(of, helper.Dir)...)
			}
		}
		slices.Sort(texts)
		all[root.names[0]] = strings.Join(texts, "\n")
	}
	return all
}

// imports reports whether a file imports a package under a name that is reached.
func (t *testFiles) imports(p *listed, reached map[string]bool) bool {
	for _, file := range t.files {
		for _, spec := range file.Imports {
			name := p.Name
			if spec.Name != nil {
				name = spec.Name.Name
			}
			if target, _ := strconv.Unquote(spec.Path.Value); target == p.ImportPath && (reached[name] || name == "." || name == "_") {
				return true
			}
		}
	}
	return false
}

// hashes are hashes of the files in a module that a path or a pattern names. A
// string, or a link, may also lead to any other file of the machine.
func hashes(in Package, name string) (all []string) {
	module, err := os.OpenRoot(in.module)
	if err != nil {
		return nil
	}
	defer module.Close()
	at, err := filepath.Rel(in.module, name)
	if err != nil {
		return nil
	}
	at = filepath.ToSlash(at)
	found, err := fs.Glob(module.FS(), at)
	if err != nil {
		found = []string{at}
	}
	for _, from := range found {
		_ = fs.WalkDir(module.FS(), from, func(file string, e fs.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() {
				all = append(all, file+" "+HashFile(context.Background(), filepath.Join(in.module, file)))
			}
			return nil
		})
	}
	return all
}

// inputs are hashes of the files that the strings of a declaration and its embed
// directives name, such as testdata.
func inputs(in Package, of ast.Node) (all []string) {
	for n := range ast.Preorder(of) {
		switch n := n.(type) {
		case *ast.BasicLit:
			name, err := strconv.Unquote(n.Value)
			first, _, _ := strings.Cut(strings.TrimLeft(filepath.ToSlash(filepath.Clean(name)), "./"), "/")
			if err != nil || n.Kind != token.STRING || filepath.IsAbs(name) || first == "" || strings.ContainsAny(first, "*?[") {
				continue // the machine's, or the package itself
			}
			all = append(all, hashes(in, filepath.Join(in.Dir, name))...)
		case *ast.Comment:
			rest, _ := strings.CutPrefix(n.Text, "//go:embed ")
			for rest != n.Text && strings.TrimSpace(rest) != "" {
				rest = strings.TrimSpace(rest)
				pattern, err := strconv.QuotedPrefix(rest)
				if err != nil {
					pattern, _, _ = strings.Cut(rest, " ")
				}
				rest = rest[len(pattern):]
				if text, err := strconv.Unquote(pattern); err == nil {
					pattern = text
				}
				all = append(all, hashes(in, filepath.Join(in.Dir, strings.TrimPrefix(pattern, "all:")))...)
			}
		}
	}
	return all
}

// LeftOut are the declarations of the tests that a package was built without.
func (v *Variant) LeftOut(pkg string) []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.leftOut[pkg]
}

type testFiles struct {
	fset  *token.FileSet
	files []*ast.File
	texts [][]byte
	// names are the names of packages by import path.
	names map[string]string
}

type part struct {
	file  int
	node  ast.Node
	names []string // what it declares, or of a method its receiver
	root  bool
}

func (t *testFiles) leaveOut() (leftOut []string) {
	parts, reached := t.parts(), make(map[string]bool)
	for _, p := range parts {
		if p.root {
			reached[p.names[0]] = true
		}
	}
	used := reach(parts, reached)
	for i, p := range parts {
		if !used[i] {
			t.blank(p.file, p.node)
			leftOut = append(leftOut, p.names...)
		}
	}
	for i := range t.files {
		t.dropImports(i)
	}
	slices.Sort(leftOut)
	return slices.Compact(leftOut)
}

func reach(parts []part, reached map[string]bool) (used []bool) {
	used = make([]bool, len(parts))
	for again := true; again; {
		again = false
		for i, p := range parts {
			if used[i] || !slices.ContainsFunc(p.names, func(name string) bool { return reached[name] }) {
				continue
			}
			used[i], again = true, true
			for n := range ast.Preorder(p.node) {
				if id, ok := n.(*ast.Ident); ok {
					reached[id.Name] = true
				}
			}
		}
	}
	return used
}

// parts are the declarations of the files. Benchmarks, TestMain and init are
// roots. Constants of a group are one part, since iota counts them.
func (t *testFiles) parts() (parts []part) {
	for i, file := range t.files {
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				p := part{file: i, node: d, names: []string{d.Name.Name}}
				if d.Recv != nil {
					p.names = nil
					for n := range ast.Preorder(d.Recv.List[0].Type) {
						if id, ok := n.(*ast.Ident); ok {
							p.names = append(p.names, id.Name)
						}
					}
				} else {
					p.root = strings.HasPrefix(d.Name.Name, "Benchmark") || d.Name.Name == "TestMain" || d.Name.Name == "init"
				}
				parts = append(parts, p)
			case *ast.GenDecl:
				if d.Tok == token.IMPORT {
					continue
				}
				whole := part{file: i, node: d}
				for _, spec := range d.Specs {
					p := part{file: i, node: spec}
					switch s := spec.(type) {
					case *ast.TypeSpec:
						p.names = []string{s.Name.Name}
					case *ast.ValueSpec:
						for _, name := range s.Names {
							if name.Name != "_" {
								p.names = append(p.names, name.Name)
							}
						}
					}
					if whole.names = append(whole.names, p.names...); d.Tok != token.CONST && d.Lparen.IsValid() {
						parts = append(parts, p)
					}
				}
				if d.Tok == token.CONST || !d.Lparen.IsValid() {
					parts = append(parts, whole)
				}
			}
		}
	}
	return parts
}

func (t *testFiles) blank(file int, node ast.Node) {
	from := node.Pos()
	switch d := node.(type) {
	case *ast.FuncDecl:
		if d.Doc != nil {
			from = d.Doc.Pos()
		}
	case *ast.GenDecl:
		if d.Doc != nil {
			from = d.Doc.Pos()
		}
	}
	text := t.texts[file]
	for i := t.fset.Position(from).Offset; i < t.fset.Position(node.End()).Offset; i++ {
		if text[i] != '\n' {
			text[i] = ' '
		}
	}
}

func (t *testFiles) dropImports(file int) {
	rest, err := parser.ParseFile(token.NewFileSet(), "", t.texts[file], parser.SkipObjectResolution)
	if err != nil {
		return // the build reports it
	}
	used := make(map[string]bool)
	for n := range ast.Preorder(rest) {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				used[x.Name] = true
			}
		}
	}
	for _, spec := range t.files[file].Imports {
		target, _ := strconv.Unquote(spec.Path.Value)
		name := t.names[target]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if name != "" && name != "_" && name != "." && target != "C" && !used[name] {
			t.blank(file, spec)
		}
	}
	// An import declaration without a specification is none.
	for _, decl := range t.files[file].Decls {
		if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.IMPORT && !d.Lparen.IsValid() {
			spec := d.Specs[0]
			at := t.fset.Position(spec.Pos()).Offset
			if bytes.HasPrefix(t.texts[file][at:], []byte(" ")) {
				t.blank(file, d)
			}
		}
	}
}
