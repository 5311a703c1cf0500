// Package library_test tests the library from outside. Tests that need more
// than the standard library are here, so that the requirement does not reach
// importers.
package library_test

import (
	"go/ast"
	"go/doc"
	"go/types"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

const root = "../../../../../"

// public are the packages of the library.
var public = []string{".", "benchmark", "clock", "histogram", "plot", "cmd/tare/hdr"}

// Every exported name of a public package is used in an example that runs and
// whose output is checked. A type is used if one of its methods or fields is,
// or a function that returns it. Printing calls String and Error.
func TestExportedNamesHaveExamples(t *testing.T) {
	t.Parallel() // it waits for the go command
	for _, name := range unexemplified(t, public...) {
		t.Errorf("%s is in no example that is run", name)
	}
}

// unexemplified lists the exported names of packages, as path.Name or
// path.Type.Method, that no executed example in them uses.
func unexemplified(t *testing.T, dirs ...string) []string {
	t.Helper()
	patterns := make([]string, len(dirs))
	for i, dir := range dirs {
		patterns[i] = root + dir
	}
	loaded, err := packages.Load(&packages.Config{
		Mode:  packages.LoadSyntax, // imported packages are compiled already
		Tests: true,
	}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	wanted, used := map[string]bool{}, map[string]bool{}
	for _, p := range loaded {
		for _, err := range p.Errors {
			t.Fatal(err)
		}
		if p.ID == p.PkgPath { // the package itself, without its tests
			for _, name := range exported(p.Types) {
				wanted[name] = true
			}
		}
		for _, example := range doc.Examples(p.Syntax...) {
			if example.Output == "" && !example.EmptyOutput {
				continue // compiled, and never run
			}
			ast.Inspect(example.Code, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Ident:
					use(used, p.TypesInfo.Uses[n])
				case *ast.CompositeLit:
					used[typeName(p.TypesInfo.TypeOf(n))] = true
				case *ast.SelectorExpr:
					if field := p.TypesInfo.Selections[n]; field != nil {
						used[typeName(field.Recv())] = true
					}
				}
				return true
			})
		}
	}
	if len(wanted) == 0 || len(used) == 0 {
		t.Fatalf("%d exported names, %d names used in examples", len(wanted), len(used))
	}
	var missing []string
	for name := range wanted {
		if !used[name] {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	return missing
}

// use marks an object, and the types that it includes.
func use(used map[string]bool, obj types.Object) {
	switch obj := obj.(type) {
	case *types.Func:
		signature := obj.Signature()
		if receiver := signature.Recv(); receiver != nil {
			used[typeName(receiver.Type())+"."+obj.Name()] = true
			return
		}
		used[objectName(obj)] = true
		for result := range signature.Results().Variables() {
			used[typeName(result.Type())] = true
		}
	case *types.Const:
		used[objectName(obj)] = true
		used[typeName(obj.Type())] = true
	case *types.Var:
		used[objectName(obj)] = !obj.IsField() || used[objectName(obj)]
	case *types.TypeName:
		used[objectName(obj)] = true
	}
}

// exported lists the names, and the methods of types, that go doc shows.
func exported(p *types.Package) []string {
	var all []string
	for _, name := range p.Scope().Names() {
		obj := p.Scope().Lookup(name)
		if !obj.Exported() {
			continue
		}
		all = append(all, objectName(obj))
		named, ok := obj.Type().(*types.Named)
		if _, isType := obj.(*types.TypeName); !isType || !ok {
			continue
		}
		for method := range named.Methods() {
			if method.Exported() && method.Name() != "String" && method.Name() != "Error" {
				all = append(all, objectName(obj)+"."+method.Name())
			}
		}
	}
	return all
}

func objectName(obj types.Object) string {
	if obj.Pkg() == nil {
		return obj.Name()
	}
	return obj.Pkg().Path() + "." + obj.Name()
}

// typeName names a type or the type it points to. Types without a name have
// none.
func typeName(of types.Type) string {
	if pointer, ok := types.Unalias(of).(*types.Pointer); ok {
		of = pointer.Elem()
	}
	if named, ok := types.Unalias(of).(*types.Named); ok {
		return objectName(named.Obj())
	}
	return ""
}

// The go doc output of a public package fits on a screen, and first describes
// the package.
func TestDocumentationFitsAScreen(t *testing.T) {
	t.Parallel()      // it waits for the go command
	const screen = 50 // lines
	for _, dir := range public {
		out, err := exec.Command("go", "doc", root+dir).Output()
		if err != nil {
			t.Fatalf("go doc %s: %v", dir, err)
		}
		lines := strings.Split(string(out), "\n")
		if len(lines) > screen {
			t.Errorf("go doc of %s has %d lines, want at most %d", dir, len(lines), screen)
		}
		if len(lines) < 3 || !strings.HasPrefix(lines[2], "Package ") {
			t.Errorf("go doc of %s does not begin with the purpose of the package", dir)
		}
	}
}
