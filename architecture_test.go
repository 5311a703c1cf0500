package tare_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestWayOfTheData checks the table of docs/architecture.md: the functions
// exist, each caller names what it calls, no call goes to a higher floor, and
// there are at most fifteen.
func TestWayOfTheData(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| \\d+ \\| `([^`]+)` \\| (?:`([^`]+)`)? ?\\|").FindAllStringSubmatch(string(page), -1)
	if len(rows) < 10 || len(rows) > 15 {
		t.Errorf("%d functions, want 10 to 15", len(rows))
	}
	for _, row := range rows {
		name, caller := row[1], row[2]
		pkg, fun := splitFunction(name)
		if functionOf(t, name) == nil {
			t.Errorf("there is no function %s", name)
		}
		if caller == "" {
			continue
		}
		decl := functionOf(t, caller)
		if decl == nil {
			t.Errorf("there is no function %s, which calls %s", caller, name)
			continue
		}
		called := fun[strings.LastIndexByte(fun, '.')+1:]
		names := false
		ast.Inspect(decl.Body, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			names = names || ok && id.Name == called
			return true
		})
		if !names {
			t.Errorf("%s does not name %s", caller, called)
		}
		from, _ := splitFunction(caller)
		_, above, ok := floorOf(module + "/" + from)
		_, below, ok2 := floorOf(module + "/" + pkg)
		if !ok || !ok2 || below > above {
			t.Errorf("%s (floor %d) calls %s (floor %d): calls go down", caller, above, name, below)
		}
	}
}

// splitFunction cuts "internal/session.Session.Run" into package and function.
func splitFunction(name string) (pkg, fun string) {
	dir, last := path.Split(name)
	base, fun, _ := strings.Cut(last, ".")
	return dir + base, fun
}

// functionOf finds the declaration of a function or method; nil where there is
// none.
func functionOf(t *testing.T, name string) *ast.FuncDecl {
	t.Helper()
	pkg, fun := splitFunction(name)
	files, err := filepath.Glob(filepath.Join(pkg, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if decl, ok := d.(*ast.FuncDecl); ok && declared(decl) == fun {
				return decl
			}
		}
	}
	return nil
}

// declared is "Func", or "Type.Method".
func declared(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if id, ok := typ.(*ast.Ident); ok {
		return id.Name + "." + d.Name.Name
	}
	return d.Name.Name
}
