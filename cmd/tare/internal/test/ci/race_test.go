package ci_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
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
		files, err := filepath.Glob(filepath.Join("../cmd/tare", room, "*.go"))
		if err != nil || len(files) == 0 {
			t.Errorf("%s has no files (%v)", room, err)
		}
		starts, defined := false, map[string]bool{"": true}
		for _, file := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, decl := range parsed.Decls {
				if f, ok := decl.(*ast.FuncDecl); ok {
					defined[f.Name.Name] = true
				}
			}
			starts = starts || !strings.HasSuffix(file, "_test.go") && startsGoroutine(parsed)
		}
		if starts && tests == "" {
			t.Errorf("%s starts goroutines: name a test that runs with the race detector", room)
		}
		for test := range strings.SplitSeq(tests, "|") {
			if !defined[test] {
				t.Errorf("%s has no %s", room, test)
			}
		}
	}
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
