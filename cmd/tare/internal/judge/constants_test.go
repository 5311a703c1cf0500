package judge

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mostConstants is the number of constants of judge and study, named and not. It
// only falls: a change that adds one removes another.
const mostConstants = 127

// structural are the numbers that decide nothing: ends, halves, bits, units and
// rounding.
var structural = strings.Fields("0 1 2 0.0 .5 0.5 4. 1. 8 10 64 100 256 1e3 1000 1e6 1e9 1e-9 1e-12")

// TestConstants counts and names the numbers by which judge and study decide.
func TestConstants(t *testing.T) {
	found := make(map[string]bool)
	for _, dir := range []string{".", "../study"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no files in %s: %v", dir, err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") || name == "signs.go" { // whose numbers are bits
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			pkg := file.Name.Name
			for _, d := range file.Decls {
				of := pkg + "." + declared(d)
				ast.Inspect(d, func(n ast.Node) bool {
					switch n := n.(type) {
					case *ast.GenDecl:
						return n.Tok != token.IMPORT
					case *ast.ValueSpec:
						for i, v := range n.Values {
							if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST && len(numbers(v)) > 0 {
								found[pkg+"."+n.Names[i].Name] = true
							}
						}
					case *ast.BasicLit:
						if g, ok := d.(*ast.GenDecl); (!ok || g.Tok != token.CONST) && (n.Kind == token.INT || n.Kind == token.FLOAT) &&
							!strings.HasPrefix(n.Value, "0x") && !strings.HasPrefix(n.Value, "0o") && !slices.Contains(structural, n.Value) {
							found[of+" "+n.Value] = true
						}
					}
					return true
				})
			}
		}
	}
	all := slices.Sorted(maps.Keys(found))
	t.Logf("%d constants: %s", len(all), strings.Join(all, ", "))
	if len(all) > mostConstants {
		t.Errorf("%d constants, at most %d: name the one that a new one replaces", len(all), mostConstants)
	}
}

// declared is the name of a declaration.
func declared(d ast.Decl) string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Name.Name
	case *ast.GenDecl:
		if v, ok := d.Specs[0].(*ast.ValueSpec); ok {
			return v.Names[0].Name
		}
	}
	return fmt.Sprintf("%T", d)
}

// numbers are the numbers of an expression.
func numbers(e ast.Expr) (all []*ast.BasicLit) {
	ast.Inspect(e, func(n ast.Node) bool {
		if b, ok := n.(*ast.BasicLit); ok && (b.Kind == token.INT || b.Kind == token.FLOAT) {
			all = append(all, b)
		}
		return true
	})
	return all
}
