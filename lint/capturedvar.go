package lint

import (
	"go/ast"
	"go/token"
	"go/types"
	"go/version"

	"golang.org/x/tools/go/analysis"

	"github.com/tarebench/tare/finding"
)

var capturedVariable = Check{
	Title:    "a stored benchmark that captures a loop variable of old Go",
	Default:  true,
	Severity: finding.Severe,
	Wrong: `
//go:build go1.21

package p

func BenchmarkSizes(b *testing.B) {
	var runs []func(*testing.B)
	for _, size := range []int{1, 10, 100} {
		runs = append(runs, func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				Sink = make([]byte, size)
			}
		})
	}
	for i, run := range runs {
		b.Run(fmt.Sprintf("run=%d", i), run)
	}
}

var Sink []byte`,
	Right: `
func BenchmarkSizes(b *testing.B) {
	for _, size := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("size=%d", size), func(b *testing.B) {
			for b.Loop() {
				Sink = make([]byte, size)
			}
		})
	}
}

var Sink []byte`,
	Analyzer: analyzer("capturedvar", "report stored benchmark functions that capture a loop variable under Go before 1.22\n\nBefore Go 1.22 the variables of a loop are one for all iterations: functions that are stored and run later all see the last value. b.Run runs its function at once, so that a function given to it directly is fine.", runCapturedVariable),
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
				r.report(s.lit.Type, "the function is kept for later and captures the loop variable "+id.Name+": under "+v+" every one sees its last value; copy it inside the loop", &analysis.SuggestedFix{
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
