package judge

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/internal/finding"
)

// Misuse looks in the test files of a folder for why a benchmark takes next to
// no time: it resets its timer inside the loop, or has no loop over b.N. Ok is
// false where its source shows neither.
func Misuse(dir, benchmark string) (f finding.Finding, ok bool) {
	top, _, _ := strings.Cut(benchmark, "/")
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return f, false
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		for _, d := range file.Decls {
			fun, isFunc := d.(*ast.FuncDecl)
			if !isFunc || fun.Recv != nil || fun.Name.Name != "Benchmark"+top || fun.Body == nil {
				continue
			}
			switch {
			case resetsInLoop(fun.Body):
				return kind.ResetInLoop.Of(benchmark), true
			case !loops(fun):
				return kind.NoLoop.Of(benchmark), true
			}
			return f, false
		}
	}
	return f, false
}

// resetsInLoop reports a call of ResetTimer inside a loop over iterations.
func resetsInLoop(body *ast.BlockStmt) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		var loop *ast.BlockStmt
		var head ast.Node
		switch n := n.(type) {
		case *ast.ForStmt:
			loop, head = n.Body, &ast.ForStmt{Init: n.Init, Cond: n.Cond, Post: n.Post, Body: &ast.BlockStmt{}}
		case *ast.RangeStmt:
			loop, head = n.Body, n.X
		}
		if loop != nil && selects(head, "N", "Loop") && selects(loop, "ResetTimer") {
			found = true
		}
		return !found
	})
	return found
}

// loops reports whether a benchmark mentions its iterations, or hands its B to
// another function, which may.
func loops(fun *ast.FuncDecl) (found bool) {
	if selects(fun.Body, "N", "Loop", "RunParallel") {
		return true
	}
	if len(fun.Type.Params.List) != 1 || len(fun.Type.Params.List[0].Names) != 1 {
		return true // no benchmark that we understand
	}
	param := fun.Type.Params.List[0].Names[0].Name
	ast.Inspect(fun.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			for _, arg := range n.Args {
				id, ok := arg.(*ast.Ident)
				found = found || ok && id.Name == param
			}
			// b.Run takes functions, which may be named ones.
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Run" {
				for _, arg := range n.Args {
					_, literal := arg.(*ast.FuncLit)
					_, text := arg.(*ast.BasicLit)
					found = found || !literal && !text
				}
			}
		}
		return !found
	})
	return found
}

// selects reports a selector expression with one of these names.
func selects(n ast.Node, names ...string) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			for _, name := range names {
				found = found || s.Sel.Name == name
			}
		}
		return !found
	})
	return found
}
