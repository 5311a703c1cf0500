package lint

import (
	"go/ast"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/tarebench/tare/internal/finding"
)

var constantInput = Check{
	Analyzer: analyzer("constinput", runConstantInput, ssaAnalyzer),
	Severity: finding.Severe,
}

func runConstantInput(r *reporter, s *scope) {
	for _, l := range s.loops {
		dead := make(map[ast.Expr]bool)
		s.walk(l.body, func(n, _ ast.Node) {
			if stmt, ok := n.(ast.Stmt); ok && !l.kept() {
				for _, e := range r.dead(s, stmt) {
					dead[e] = true
				}
			}
			call, ok := n.(*ast.CallExpr)
			if !ok || dead[call] || s.loopAround(n) != l || s.inLiteral(n, l.body) || s.paused(l, n) {
				return
			}
			fn := s.callee(call)
			if !r.code.deletable(fn) || fn.Signature().Recv() != nil || len(call.Args) == 0 || fn.Signature().Results().Len() == 0 {
				return
			}
			if !r.constant(s, call) {
				return
			}
			r.report(call, "the arguments of "+fn.Name()+" are constant: the compiler may compute the result while compiling", "take the input from a package variable", nil)
		})
	}
}

// constant reports whether all arguments of a call are constant numbers.
func (r *reporter) constant(s *scope, call *ast.CallExpr) bool {
	v, ok := r.value(s, call).(*ssa.Call)
	return ok && !slices.ContainsFunc(v.Call.Args, func(a ssa.Value) bool {
		c := constantValue(a)
		return c == nil || c.Value == nil || !isNumber(c.Type())
	})
}
