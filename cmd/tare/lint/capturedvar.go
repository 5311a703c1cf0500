package lint

import (
	"go/ast"
	"go/token"
	"go/types"
	"go/version"

	"golang.org/x/tools/go/analysis"

	"github.com/tarebench/tare/internal/finding"
)

var capturedVariable = Check{
	Analyzer: analyzer("capturedvar", runCapturedVariable),
	Severity: finding.Severe,
	Default:  true,
}

func runCapturedVariable(r *reporter, s *scope) {
	if s.lit == nil {
		return
	}
	v := r.goVersion(s)
	if v == "" || version.Compare(v, "go1.22") >= 0 {
		return
	}
	// Climb from the literal: at once in a call of Run, or kept for later?
	parents := s.around(r)
	if call, ok := parents[s.lit].(*ast.CallExpr); ok && call.Fun != ast.Expr(s.lit) {
		switch methodName(call) {
		case "Run", "Benchmark":
			return
		}
		if id, ok := call.Fun.(*ast.Ident); !ok || id.Name != "append" {
			return // handed to a function that may well run it at once
		}
	}
	for n := parents[s.lit]; n != nil; n = parents[n] {
		var vars []ast.Expr
		var body *ast.BlockStmt
		switch n := n.(type) {
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				vars, body = []ast.Expr{n.Key, n.Value}, n.Body
			}
		case *ast.ForStmt:
			if init, ok := n.Init.(*ast.AssignStmt); ok && init.Tok == token.DEFINE {
				vars, body = init.Lhs, n.Body
			}
		case *ast.FuncDecl:
			return
		}
		for _, e := range vars {
			id, ok := e.(*ast.Ident)
			if !ok || id.Name == "_" {
				continue
			}
			obj, _ := r.TypesInfo.Defs[id].(*types.Var)
			if obj != nil && s.mentions(s.lit.Body, obj) {
				copyIt := "\n" + id.Name + " := " + id.Name
				r.report(s.lit.Type, "the function is kept for later and captures the loop variable "+id.Name+": under "+v+" every one sees its last value", "copy it inside the loop", &analysis.SuggestedFix{
					Message:   "Copy the loop variable",
					TextEdits: []analysis.TextEdit{{Pos: body.Lbrace + 1, End: body.Lbrace + 1, NewText: []byte(copyIt)}},
				})
				return
			}
		}
	}
}

// around returns the parents of the nodes of the declaration that holds a
// literal: the scope's own map ends at its body.
func (s *scope) around(r *reporter) map[ast.Node]ast.Node {
	parents := make(map[ast.Node]ast.Node)
	for _, d := range s.file.Decls {
		if !within(s.lit, d) {
			continue
		}
		var stack []ast.Node
		ast.Inspect(d, func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return false
			}
			if len(stack) > 0 {
				parents[n] = stack[len(stack)-1]
			}
			stack = append(stack, n)
			return true
		})
	}
	return parents
}
