package library_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// mostIdentifiers bounds the public library: exported functions, types, methods,
// fields, constants and variables.
const mostIdentifiers = 200

func TestPublicIdentifiers(t *testing.T) {
	total := 0
	for _, dir := range []string{".", "benchmark", "clock", "histogram", "plot"} {
		n := identifiers(t, filepath.Join("..", "..", "..", "..", "..", dir))
		t.Logf("%s: %d", dir, n)
		total += n
	}
	if total > mostIdentifiers {
		t.Errorf("%d exported identifiers, want at most %d", total, mostIdentifiers)
	}
}

func identifiers(t *testing.T, dir string) int {
	t.Helper()
	files := token.NewFileSet()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var parsed []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "plain.go") { // plain.go has the names of benchmark.go
			continue
		}
		f, err := parser.ParseFile(files, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, f)
	}
	p, err := doc.NewFromFiles(files, parsed, dir)
	if err != nil {
		t.Fatal(err)
	}
	count := len(p.Funcs)
	values := func(all []*doc.Value) {
		for _, v := range all {
			for _, name := range v.Names {
				if ast.IsExported(name) {
					count++
				}
			}
		}
	}
	values(p.Consts)
	values(p.Vars)
	for _, typ := range p.Types {
		count += 1 + len(typ.Funcs) + len(typ.Methods) + fields(typ)
		values(typ.Consts)
		values(typ.Vars)
	}
	return count
}

// fields counts the exported fields of a struct.
func fields(typ *doc.Type) int {
	n := 0
	for _, spec := range typ.Decl.Specs {
		spec, ok := spec.(*ast.TypeSpec)
		if !ok || spec.Name.Name != typ.Name {
			continue
		}
		if s, ok := spec.Type.(*ast.StructType); ok {
			for _, field := range s.Fields.List {
				for _, name := range field.Names {
					if name.IsExported() {
						n++
					}
				}
			}
		}
	}
	return n
}
