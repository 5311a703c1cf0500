package lint

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/finding"
)

var metricUnit = Check{
	Analyzer: analyzer("metricunit", runMetricUnit),
	Severity: finding.Severe,
}

func runMetricUnit(r *reporter, s *scope) {
	s.calls(s.body, func(call *ast.CallExpr) {
		if !s.isMethod(call, "ReportMetric") || len(call.Args) != 2 || s.loopAround(call) != nil {
			return
		}
		unit, ok := s.text(call.Args[1])
		if !ok || !strings.HasSuffix(unit, "/op") {
			return
		}
		if v := s.total(call.Args[0], 4); v != nil {
			r.report(call, v.Name()+" is a total over all iterations, and its unit is "+unit, "divide it by b.N", nil)
		}
	})
}

// total returns the variable of a value if it is a sum over the iterations of a
// timed loop, used unchanged. It returns nil if the value is divided, or comes
// from elsewhere.
func (s *scope) total(e ast.Expr, depth int) *types.Var {
	e = s.unconvert(e)
	if depth == 0 {
		return nil
	}
	switch n := e.(type) {
	case *ast.Ident:
		v := s.local(n)
		if v == nil {
			v = s.variable(n)
		}
		if v == nil {
			return nil
		}
		if s.sumsUp(v) {
			return v
		}
		if d := s.definition(s.local(n)); d != nil {
			return s.total(d, depth-1)
		}
	case *ast.SelectorExpr: // a field of a local variable
		if v := s.root(n); v != nil && s.fieldSumsUp(n) {
			return v
		}
	case *ast.CallExpr: // total.Load() of package sync/atomic
		if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok && calledFrom(s.callee(n), "sync/atomic") {
			x := sel.X
			if len(n.Args) == 1 { // atomic.LoadInt64(&total)
				x = n.Args[0]
			}
			if v := s.root(x); v != nil && s.sumsUp(v) {
				return v
			}
		}
	case *ast.BinaryExpr: // 8 * total, total - first
		if n.Op == token.ADD || n.Op == token.SUB || n.Op == token.MUL {
			if v := s.total(n.X, depth-1); v != nil && s.sheet.info.Types[n.Y].Value != nil {
				return v
			}
			if v := s.total(n.Y, depth-1); v != nil && s.sheet.info.Types[n.X].Value != nil {
				return v
			}
		}
	}
	return nil
}

// fieldSumsUp is sumsUp for a field of a variable of the benchmark: only the
// additions of the timed loops assign to it, and the variable is not used
// elsewhere.
func (s *scope) fieldSumsUp(field *ast.SelectorExpr) bool {
	v := s.local(field.X)
	if v == nil {
		return false
	}
	path, sums, other := types.ExprString(field), false, false
	s.walk(s.body, func(n, _ ast.Node) {
		switch n := n.(type) {
		case *ast.IncDecStmt:
			if types.ExprString(n.X) == path {
				sums = sums || n.Tok == token.INC && s.loopAround(n) != nil
			}
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				if types.ExprString(e) == path {
					added := n.Tok == token.ADD_ASSIGN && s.loopAround(n) != nil
					sums, other = sums || added, other || !added
				}
			}
		case *ast.Ident:
			if _, selected := s.parents[n].(*ast.SelectorExpr); s.sheet.info.Uses[n] == v && !selected {
				other = true
			}
		}
	})
	return sums && !other && !slices.ContainsFunc(s.loops, func(l *loop) bool { return !declaredOutside(v, l) })
}

// sumsUp reports whether the timed loops only add to a variable, and nothing
// after them divides it.
func (s *scope) sumsUp(v *types.Var) bool {
	sums := false
	for _, l := range s.loops {
		if !declaredOutside(v, l) {
			return false
		}
		for _, w := range s.writes(v, l.body) {
			switch w := w.(type) {
			case *ast.IncDecStmt:
				sums = sums || w.Tok == token.INC
			case *ast.AssignStmt:
				if w.Tok != token.ADD_ASSIGN {
					return false
				}
				sums = true
			case *ast.UnaryExpr:
			default:
				return false
			}
		}
		s.calls(l.body, func(c *ast.CallExpr) {
			if sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok && calledFrom(s.callee(c), "sync/atomic") {
				if strings.HasPrefix(sel.Sel.Name, "Add") && (s.root(sel.X) == v || len(c.Args) == 2 && s.root(c.Args[0]) == v) {
					sums = true
				}
			}
		})
	}
	divided := false
	for _, w := range s.writes(v, s.body) {
		if a, ok := w.(*ast.AssignStmt); ok {
			divided = divided || a.Tok == token.QUO_ASSIGN
			for _, e := range a.Rhs {
				ast.Inspect(e, func(n ast.Node) bool {
					b, ok := n.(*ast.BinaryExpr)
					divided = divided || ok && b.Op == token.QUO
					return !divided
				})
			}
		}
	}
	return sums && !divided
}
