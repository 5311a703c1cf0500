package lint

import (
	"go/ast"

	"github.com/tarebench/tare/internal/finding"
)

var goroutineFatal = Check{
	Analyzer: analyzer("goroutinefatal", runGoroutineFatal),
	Severity: finding.Warning,
}

// endsGoroutine are the methods of b that must be called from the goroutine of
// the benchmark.
var endsGoroutine = []string{"Fatal", "Fatalf", "FailNow", "Skip", "Skipf", "SkipNow"}

func runGoroutineFatal(r *reporter, s *scope) {
	s.walk(s.body, func(n, _ ast.Node) {
		var started ast.Expr
		switch n := n.(type) {
		case *ast.GoStmt:
			started = n.Call.Fun
		case *ast.CallExpr:
			if methodName(n) == "Go" && len(n.Args) == 1 {
				started = n.Args[0]
			}
		}
		if lit, ok := ast.Unparen(orEmpty(started)).(*ast.FuncLit); ok {
			s.calls(lit.Body, func(c *ast.CallExpr) {
				if s.isMethod(c, endsGoroutine...) {
					r.report(c, "b."+methodName(c)+" in another goroutine ends that goroutine and not the benchmark, which goes on or waits forever", "call b.Error and return, or send the error to the benchmark", nil)
				}
			})
		}
	})
}
