package ci_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestRoomsWithoutRaceDetector: a room that starts goroutines runs with the race
// detector, or its tests that start them do.
func TestRoomsWithoutRaceDetector(t *testing.T) {
	script, err := os.ReadFile("../.ci/go-test-json")
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`(?s)computing='(.*?)'`).FindSubmatch(script)
	if list == nil {
		t.Fatal("no list of rooms in .ci/go-test-json")
	}
	for line := range strings.Lines(string(list[1])) {
		room, tests, _ := strings.Cut(strings.TrimSpace(line), " ")
		files := parsed(t, filepath.Join("../cmd/tare", room, "*.go"))
		starts, defined := false, append(functions(files), "")
		for path, file := range files {
			starts = starts || !strings.HasSuffix(path, "_test.go") && startsGoroutine(file)
		}
		if starts && tests == "" {
			t.Errorf("%s starts goroutines: name a test that runs with the race detector", room)
		}
		for test := range strings.SplitSeq(tests, "|") {
			if !slices.Contains(defined, test) {
				t.Errorf("%s has no %s", room, test)
			}
		}
	}
}

// parsed parses the Go files of a pattern. There must be one.
func parsed(t *testing.T, pattern string) map[string]*ast.File {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Errorf("%s: no files (%v)", pattern, err)
	}
	files := make(map[string]*ast.File)
	for _, path := range paths {
		if files[path], err = parser.ParseFile(token.NewFileSet(), path, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// functions returns the names of the functions and methods in files.
func functions(files map[string]*ast.File) (names []string) {
	for _, file := range files {
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok {
				names = append(names, f.Name.Name)
			}
		}
	}
	return names
}

// startsGoroutine reports whether a file has a go statement or calls a method Go.
func startsGoroutine(file *ast.File) (found bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Go" {
				found = true
			}
		}
		return true
	})
	return found
}
