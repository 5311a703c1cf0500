package lint_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/lintdriver"
	"github.com/tarebench/tare/cmd/tare/lint"
)

// TestSamples finds the wrong halves of the lessons in samples/, and nothing else there.
func TestSamples(t *testing.T) {
	want := []string{
		"mistakes BenchmarkFibWrong bnsize",
		"mistakes BenchmarkFibWrong2 bninput",
		"mistakes BenchmarkSearchWrong loopnoise",
		"popcnt BenchmarkPopcntDropped deadresult",
	}
	pkgs, broken, err := lintdriver.Load(context.Background(), lintdriver.Options{Dir: filepath.Join("..", "..", "..")}, "./samples/...")
	if err := errors.Join(append(broken, err)...); err != nil {
		t.Fatal(err)
	}
	list, err := lintdriver.Run(pkgs, lint.Checks())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range list {
		got = append(got, filepath.Base(filepath.Dir(d.File))+" "+functionAt(t, d.File, d.Line)+" "+d.ID)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("found\n%q\nwant\n%q", got, want)
	}
}

// functionAt names the function that contains a line.
func functionAt(t *testing.T, file string, line int) string {
	t.Helper()
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && fset.Position(f.Pos()).Line <= line && line <= fset.Position(f.End()).Line {
			return f.Name.Name
		}
	}
	return ""
}
