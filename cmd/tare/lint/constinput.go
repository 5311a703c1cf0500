package lint

import (
	"go/ast"
	"go/types"

	"github.com/tarebench/tare/internal/finding"
)

var constantInput = Check{
	Analyzer: analyzer("constinput", runConstantInput),
	Severity: finding.Severe,
}

func runConstantInput(r *reporter, s *scope) {
	for _, l := range s.loops {
		dead := make(map[ast.Expr]bool)
		s.walk(l.body, func(n, _ ast.Node) {
			if stmt, ok := n.(ast.Stmt); ok && !l.kept() {
				for _, e := range s.dead(stmt) {
					dead[ast.Unparen(e)] = true
				}
			}
			call, ok := n.(*ast.CallExpr)
			if !ok || dead[call] || s.loopAround(n) != l || s.inLiteral(n, l.body) || s.paused(l, n) {
				return
			}
			fn := s.callee(call)
			if !s.sheet.deletable(fn) || fn.Signature().Recv() != nil || len(call.Args) == 0 || fn.Signature().Results().Len() == 0 {
				return
			}
			for _, a := range call.Args {
				if !s.constant(a) {
					return
				}
			}
			r.report(call, "the arguments of "+fn.Name()+" are constant: the compiler may compute the result while compiling", "take the input from a package variable", nil)
		})
	}
}

// constant says whether an argument is a constant, or a local that only ever
// holds one.
func (s *scope) constant(e ast.Expr) bool {
	tv := s.sheet.info.Types[e]
	if tv.Value != nil {
		return isNumber(tv.Type)
	}
	v := s.local(e)
	if v == nil || !isNumber(v.Type()) {
		return false
	}
	root := s
	for root.outer != nil {
		root = root.outer
	}
	writes := s.writes(v, root.body)
	if len(writes) != 1 {
		return false
	}
	switch w := writes[0].(type) {
	case *ast.AssignStmt:
		return len(w.Lhs) == 1 && len(w.Rhs) == 1 && s.sheet.info.Types[w.Rhs[0]].Value != nil
	case *ast.ValueSpec:
		return len(w.Names) == 1 && len(w.Values) == 1 && s.sheet.info.Types[w.Values[0]].Value != nil && !isPackageLevel(v)
	}
	return false
}

func isPackageLevel(v *types.Var) bool {
	return v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
}
