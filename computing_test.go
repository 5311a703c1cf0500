package tare

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestArchitectureOfComputing: what ./test -race runs without the race detector starts no
// goroutine and shares nothing, but where a test is named that does so.
func TestArchitectureOfComputing(t *testing.T) {
	list, err := os.ReadFile(".ci/computing")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(list)) {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		files, err := filepath.Glob(filepath.Join(words[0], "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has no files: %v", words[0], err)
		}
		concurrent, tests := "", ""
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(name, "_test.go") {
				tests += string(text)
			} else if hasGoroutines(t, name, text) {
				concurrent = name
			}
		}
		if concurrent != "" && len(words) == 1 {
			t.Errorf(".ci/computing: %s is concurrent: name a test of %s that runs with the race detector", concurrent, words[0])
		}
		for _, word := range words[1:] {
			for name := range strings.SplitSeq(word, "|") {
				if !strings.Contains(tests, "\nfunc "+name+"(") {
					t.Errorf(".ci/computing: %s has no %s", words[0], name)
				}
			}
		}
	}
}

// hasGoroutines reports whether a file starts a goroutine or imports what several
// of them need.
func hasGoroutines(t *testing.T, name string, text []byte) (found bool) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.ImportSpec:
			path, _ := strconv.Unquote(n.Path.Value)
			found = found || path == "sync" || path == "sync/atomic"
		}
		return !found
	})
	return found
}
