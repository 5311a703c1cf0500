package lintdriver

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The folders of testdata are modules that the workspace does not list.
func init() { os.Setenv("GOWORK", "off") }

// TestProve finds the benchmarks whose work the compiler deletes, and none of
// those whose work is kept.
func TestProve(t *testing.T) {
	t.Parallel()
	o := Options{Dir: filepath.Join("..", "..", "lint", "testdata", "recall")}
	pkgs, broken, err := Load(context.Background(), o, "./deleted", "./kept", "./deleted2", "./kept2")
	if err := errors.Join(append(broken, err)...); err != nil {
		t.Fatal(err)
	}
	list, unproven, err := Prove(context.Background(), o, pkgs, nil)
	if err := errors.Join(append(unproven, err)...); err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, d := range list {
		name := functionAt(t, d.File, d.Line)
		t.Logf("%s: %s (%s)", name, d.Message+"; "+d.Action, d.Proof.Words)
		folder := filepath.Base(filepath.Dir(d.File))
		if strings.HasPrefix(folder, "kept") {
			t.Errorf("%s of %s is reported, and its work is kept", name, folder)
		}
		found = append(found, folder+"."+name)
	}
	for _, folder := range []string{"deleted", "deleted2"} {
		for _, name := range functions(t, filepath.Join(o.Dir, folder, "deleted_test.go")) {
			if !slices.Contains(found, folder+"."+name) {
				t.Errorf("%s of %s is not reported, and its work is deleted", name, folder)
			}
		}
	}
}

// TestProveOneLine proves loops on one source line, which gofmt would part: the
// lines do not show what belongs to the body.
func TestProveOneLine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.test/oneline\n\ngo 1.26\n",
		"one_test.go": `package oneline

import "testing"

var In, Out uint64 = 3, 4

func hash(x uint64) uint64 { return (x ^ x>>33) * 0xff51afd7ed558ccd }

func BenchmarkDeletedCall(b *testing.B) { for i := 0; i < b.N; i++ { hash(In) } }
func BenchmarkDeletedArithmetic(b *testing.B) { for i := range b.N { _ = i * int(In) } }
func BenchmarkKeptStore(b *testing.B) { for i := 0; i < b.N; i++ { Out = In } }
func BenchmarkKeptSum(b *testing.B) { var sum uint64; for i := 0; i < b.N; i++ { sum += uint64(i) * In }; Out = sum }
func BenchmarkKeptLoop(b *testing.B) { for b.Loop() { hash(In) } }
func BenchmarkKeptNothing(b *testing.B) { for b.Loop() {} }
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, arch := range []string{"amd64", "arm64"} {
		o := Options{Dir: dir, Env: append(os.Environ(), "GOARCH="+arch, "GOOS=linux", "CGO_ENABLED=0")}
		pkgs, broken, err := Load(context.Background(), o, ".")
		if err := errors.Join(append(broken, err)...); err != nil {
			t.Fatal(err)
		}
		list, unproven, err := Prove(context.Background(), o, pkgs, nil)
		if err := errors.Join(append(unproven, err)...); err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, d := range list {
			found = append(found, functionAt(t, d.File, d.Line))
		}
		if want := []string{"BenchmarkDeletedCall", "BenchmarkDeletedArithmetic"}; !slices.Equal(found, want) {
			t.Errorf("%s: found %q, want %q", arch, found, want)
		}
	}
}

// functions names the functions of a file that have a timed loop: those with a
// parameter b.
func functions(t *testing.T, file string) []string {
	t.Helper()
	var list []string
	for _, f := range declared(t, token.NewFileSet(), file) {
		var loops bool
		ast.Inspect(f, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.ForStmt, *ast.RangeStmt:
				loops = true
			}
			return !loops
		})
		if loops && (strings.HasPrefix(f.Name.Name, "Benchmark") || f.Type.Params.NumFields() > 1) {
			list = append(list, f.Name.Name)
		}
	}
	return list
}

// functionAt names the function that holds a line.
func functionAt(t *testing.T, file string, line int) string {
	t.Helper()
	fset := token.NewFileSet()
	for _, f := range declared(t, fset, file) {
		if fset.Position(f.Pos()).Line <= line && line <= fset.Position(f.End()).Line {
			return f.Name.Name
		}
	}
	return ""
}

func declared(t *testing.T, fset *token.FileSet, file string) []*ast.FuncDecl {
	t.Helper()
	parsed, err := parser.ParseFile(fset, file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var list []*ast.FuncDecl
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			list = append(list, f)
		}
	}
	return list
}
