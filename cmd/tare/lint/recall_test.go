package lint_test

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

	"github.com/tarebench/tare/cmd/tare/internal/lintdriver"
	"github.com/tarebench/tare/cmd/tare/lint"
)

// recallFolder holds benchmarks: those of wrong and wrong2 name in their comment
// what is wrong with them, those of right and right2 look like them and are
// correct. The first set was written before the checks that find them, the second
// one after them, by somebody who had not read their code.
var recallFolder = filepath.Join("testdata", "recall")

// The folders of testdata are modules that the workspace does not list.
func init() { os.Setenv("GOWORK", "off") }

// The wrong benchmarks that the checks miss: in the second set BenchmarkIsUpper
// and BenchmarkOwnClock.
const (
	missedOfFirst  = 0
	missedOfSecond = 2
)

// TestRecall counts how many of the wrong benchmarks the checks find, and what they find in the right ones.
func TestRecall(t *testing.T) {
	t.Parallel()
	t.Run("first", func(t *testing.T) { t.Parallel(); recall(t, "wrong", "right", missedOfFirst) })
	t.Run("second", func(t *testing.T) { t.Parallel(); recall(t, "wrong2", "right2", missedOfSecond) })
}

func recall(t *testing.T, wrongFolder, rightFolder string, knownMisses int) {
	pkgs, broken, err := lintdriver.Load(context.Background(), lintdriver.Options{Dir: recallFolder}, "./"+wrongFolder, "./"+rightFolder)
	if err := errors.Join(append(broken, err)...); err != nil {
		t.Fatal(err)
	}
	list, err := lintdriver.Run(pkgs, lint.Checks())
	if err != nil {
		t.Fatal(err)
	}
	wrong := mistakes(t, filepath.Join(recallFolder, wrongFolder))
	found := make(map[string]bool)
	for _, d := range list {
		name := functionAt(t, d.File, d.Line)
		if filepath.Base(filepath.Dir(d.File)) == rightFolder {
			t.Errorf("false alarm in %s: %s:%d: %s [%s]", name, filepath.Base(d.File), d.Line, d.Message, d.ID)
			continue
		}
		if slices.Contains(wrong[name], d.ID) {
			found[name] = true
		} else if len(wrong[name]) > 0 {
			t.Logf("%s: also %s: %s", name, d.ID, d.Message)
		}
	}
	var missed []string
	for name, ids := range wrong {
		if !found[name] {
			missed = append(missed, name+" ("+strings.Join(ids, " ")+")")
		}
	}
	slices.Sort(missed)
	t.Logf("found %d of %d; missed: %s", len(found), len(wrong), strings.Join(missed, ", "))
	if len(missed) > knownMisses {
		t.Errorf("%d of %d wrong benchmarks are missed, want at most %d", len(missed), len(wrong), knownMisses)
	}
}

// TestOwnLoop finds the loop of tare's library in any function.
func TestOwnLoop(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir := module(t, map[string]string{"main.go": `package main

import "github.com/tarebench/tare"

var In, Out = uint64(3), uint64(0)

func mix(x uint64) uint64 { return (x ^ x>>33) * 0xff51afd7ed558ccd }

func main() {
	bench := tare.NewBenchmark(100)
	for bench.Next() {
		mix(In)
	}
	for bench.Next() {
		Out = mix(In)
	}
}
`})
	write(t, dir, "go.mod", "module example.test/p\n\ngo 1.26\n\nrequire github.com/tarebench/tare v0.0.0\n\nreplace github.com/tarebench/tare => "+root+"\n")
	found, list := lintByFolder(t, dir)
	if len(list) != 1 || list[0].ID != "deadresult" || list[0].Line != 12 {
		t.Errorf("found %v, want deadresult in line 12", found)
	}
}

// mistakes reads the comments "mistake: ID…" of the functions in a folder.
func mistakes(t *testing.T, folder string) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in %s (%v)", folder, err)
	}
	out := make(map[string][]string)
	fset := token.NewFileSet()
	for _, file := range files {
		parsed, err := parser.ParseFile(fset, file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				if ids, ok := strings.CutPrefix(f.Doc.Text(), "mistake: "); ok {
					out[f.Name.Name] = strings.Fields(ids)
				}
			}
		}
	}
	return out
}

// benchmarksIn counts the benchmark functions in a folder.
func benchmarksIn(t *testing.T, folder string) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in %s (%v)", folder, err)
	}
	n := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		n += strings.Count(string(text), "\nfunc Benchmark")
	}
	return n
}
