package lint

import (
	"go/ast"
	"go/token"

	"github.com/tarebench/tare/internal/finding"
)

var inputFromCounter = Check{
	Analyzer: analyzer("bninput", runInputFromCounter),
	Severity: finding.Severe,
}

func runInputFromCounter(r *reporter, s *scope) {
	for _, l := range s.loops {
		if l.kind == loopNext || l.counter == nil || len(s.writes(l.counter, l.body)) > 0 {
			continue
		}
		isCounter := func(e ast.Expr) bool { return s.variable(s.unconvert(e)) == l.counter }
		grows := func(e ast.Expr) bool { return isCounter(e) || s.scaled(e, isCounter) }
		const (
			growth = ": the time per operation depends on the number of iterations"
			action = "use a fixed size, or the counter modulo a constant"
		)
		s.walk(l.body, func(n, _ ast.Node) {
			if s.loopAround(n) != l || s.paused(l, n) {
				return
			}
			switch n := n.(type) {
			case *ast.CallExpr:
				if isBuiltin(r, n, "make") && len(n.Args) > 1 && grows(n.Args[1]) {
					r.report(n.Args[1], "the loop counter is the size of the result"+growth, action)
					return
				}
				fn := s.callee(n)
				for i, a := range n.Args {
					if grows(a) && (i == argumentOf(fn, "sized") || s.sheet.growth(fn, i) != unknownGrowth) {
						r.report(a, "the loop counter is the size of the work of "+fn.Name()+growth, action)
					}
				}
			case *ast.ForStmt:
				if cond, ok := n.Cond.(*ast.BinaryExpr); ok && (cond.Op == token.LSS || cond.Op == token.LEQ) && isCounter(cond.Y) {
					r.report(n, "this loop runs up to the loop counter"+growth, action)
				}
			case *ast.RangeStmt:
				if isCounter(n.X) {
					r.report(n, "this loop runs up to the loop counter"+growth, action)
				}
			}
		})
	}
}
