package lint

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/tarebench/tare/internal/finding"
)

var deadResult = Check{
	Analyzer: analyzer("deadresult", runDeadResult, ssaAnalyzer),
	Severity: finding.Severe,
}

func runDeadResult(r *reporter, s *scope) {
	for _, l := range s.loops {
		s.walk(l.body, func(n, _ ast.Node) {
			stmt, ok := n.(ast.Stmt)
			if !ok || s.loopAround(n) != l || s.paused(l, n) {
				return
			}
			// b.Loop keeps the calls of the loop itself alive, but not the calls
			// in a function literal.
			switch inner := s.literal(n, l.body); {
			case inner == nil && l.kept(), inner != nil && !s.calledAtOnce(inner, l):
				return
			}
			for _, e := range r.dead(s, stmt) {
				switch e := e.(type) {
				case *ast.CallExpr:
					if fn := s.callee(e); r.code.deletable(fn) && fn.Signature().Results().Len() > 0 {
						r.report(e, "the result of "+fn.Name()+" is unused: the compiler may inline the call and delete it", "loop with b.Loop, or keep the result in an exported variable")
					}
				case *ast.BinaryExpr:
					if s.arithmetic(e) {
						r.report(e, "this value is unused: the compiler deletes its computation", "loop with b.Loop, or keep it in an exported variable")
					}
				}
			}
		})
	}
}

// literal returns the innermost function literal between n and root, or nil.
func (s *scope) literal(n, root ast.Node) *ast.FuncLit {
	lit, _ := s.enclosing(n, root, isA[*ast.FuncLit]).(*ast.FuncLit)
	return lit
}

// calledAtOnce reports whether a function literal is directly in the loop and
// is called in its own statement.
func (s *scope) calledAtOnce(lit *ast.FuncLit, l *loop) bool {
	call, ok := s.parents[lit].(*ast.CallExpr)
	if !ok || ast.Unparen(call.Fun) != ast.Expr(lit) || s.literal(call, l.body) != nil {
		return false
	}
	return isA[*ast.ExprStmt](s.parents[call])
}

func (s *scope) arithmetic(e ast.Expr) bool {
	return isNumber(s.typeOf(e)) && s.sheet.info.Types[e].Value == nil && !anyNode(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			return !s.sheet.info.Types[n.Fun].IsType()
		case *ast.UnaryExpr:
			return n.Op == token.ARROW || n.Op == token.AND
		case *ast.BinaryExpr:
			return !isNumber(s.typeOf(n.X)) || n.Op == token.QUO || n.Op == token.REM
		case *ast.IndexExpr, *ast.StarExpr, *ast.SelectorExpr, *ast.FuncLit, *ast.CompositeLit:
			return true
		}
		return false
	})
}

func (r *reporter) dead(s *scope, stmt ast.Stmt) (list []ast.Expr) {
	var values []ast.Expr
	switch n := stmt.(type) {
	case *ast.ExprStmt:
		values = []ast.Expr{n.X}
	case *ast.AssignStmt:
		values = n.Rhs
	}
	for _, e := range values {
		if v := r.value(s, e); v != nil && unused(v) {
			list = append(list, ast.Unparen(e))
		}
	}
	return list
}

func (r *reporter) value(s *scope, e ast.Expr) ssa.Value {
	if r.code == nil {
		return nil
	}
	var f ast.Node = s.decl
	if lit := s.literal(e, s.body); lit != nil {
		f = lit
	} else if s.lit != nil {
		f = s.lit
	}
	if fn := r.code.functions[f]; fn != nil {
		if v, address := fn.ValueForExpr(e); !address {
			return v
		}
	}
	return nil
}
