package tare_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// public are the packages of the library.
var public = []string{".", "clock", "histogram", "histogram/hdr", "finding"}

// Every exported function, method and type of a public package is used in an
// example that is run and whose output is checked.
func TestExportedNamesHaveExamples(t *testing.T) {
	for _, dir := range public {
		fset := token.NewFileSet()
		var sources, tests []*ast.File
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(files), err)
		}
		for _, file := range files {
			f, err := parser.ParseFile(fset, file, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(file, "_test.go") {
				tests = append(tests, f)
			} else {
				sources = append(sources, f)
			}
		}
		used := map[string]bool{}
		for _, example := range doc.Examples(tests...) {
			if example.Output == "" && !example.EmptyOutput {
				continue // compiled, and never run
			}
			ast.Inspect(example.Code, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					used[id.Name] = true
				}
				return true
			})
		}
		for _, f := range sources {
			for _, name := range exported(f) {
				if !used[name] {
					t.Errorf("%s: %s is in no example that is run", dir, name)
				}
			}
		}
	}
}

// exported lists the functions and methods of a file.
func exported(f *ast.File) []string {
	var all []string
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || !fn.Name.IsExported() {
			continue
		}
		if fn.Recv != nil {
			receiver := fn.Recv.List[0].Type
			if star, ok := receiver.(*ast.StarExpr); ok {
				receiver = star.X
			}
			if id, ok := receiver.(*ast.Ident); ok && !id.IsExported() {
				continue
			}
			if fn.Name.Name == "String" || fn.Name.Name == "Error" {
				continue // called by printing
			}
		}
		all = append(all, fn.Name.Name)
	}
	return all
}

// What go doc prints of a public package can be read without scrolling far,
// and says first what the package does.
func TestDocumentationFitsAScreen(t *testing.T) {
	const screen = 50 // lines
	for _, dir := range public {
		out, err := exec.Command("go", "doc", "./"+dir).Output()
		if err != nil {
			t.Fatalf("go doc %s: %v", dir, err)
		}
		lines := strings.Split(string(out), "\n")
		if len(lines) > screen {
			t.Errorf("go doc of %s has %d lines, want at most %d", dir, len(lines), screen)
		}
		if len(lines) < 3 || !strings.HasPrefix(lines[2], "Package ") {
			t.Errorf("go doc of %s does not begin with what the package does", dir)
		}
	}
}
