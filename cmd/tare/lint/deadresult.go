package lint

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/tarebench/tare/internal/finding"
)

var deadResult = Check{
	Analyzer: analyzer("deadresult", runDeadResult),
	Severity: finding.Severe,
}

func runDeadResult(r *reporter, s *scope) {
	for _, l := range s.loops {
		s.walk(l.body, func(n, _ ast.Node) {
			stmt, ok := n.(ast.Stmt)
			if !ok || s.loopAround(n) != l || s.paused(l, n) {
				return
			}
			// b.Loop keeps alive what the loop itself calls, and not what a
			// function literal in it calls.
			switch inner := s.literal(n, l.body); {
			case inner == nil && l.kept(), inner != nil && !s.calledAtOnce(inner, l):
				return
			}
			for _, e := range s.dead(stmt) {
				switch e := ast.Unparen(e).(type) {
				case *ast.CallExpr:
					if fn := s.callee(e); s.sheet.deletable(fn) && fn.Signature().Results().Len() > 0 {
						r.report(e, "the result of "+fn.Name()+" is unused: the compiler may inline the call and delete it", "loop with b.Loop, or keep the result in an exported variable", r.toLoop(s, l))
					}
				case *ast.BinaryExpr:
					if s.arithmetic(e) {
						r.report(e, "this value is unused: the compiler deletes its computation", "loop with b.Loop, or keep it in an exported variable", r.toLoop(s, l))
					}
				}
			}
		})
	}
}

// literal returns the innermost function literal between n and root, or nil.
func (s *scope) literal(n, root ast.Node) *ast.FuncLit {
	for p := s.parents[n]; p != nil && p != root; p = s.parents[p] {
		if lit, ok := p.(*ast.FuncLit); ok {
			return lit
		}
	}
	return nil
}

// calledAtOnce reports whether a function literal stands directly in the loop
// and is called where it stands, in a statement of its own.
func (s *scope) calledAtOnce(lit *ast.FuncLit, l *loop) bool {
	call, ok := s.parents[lit].(*ast.CallExpr)
	if !ok || ast.Unparen(call.Fun) != ast.Expr(lit) || s.literal(call, l.body) != nil {
		return false
	}
	_, ok = s.parents[call].(*ast.ExprStmt)
	return ok
}

// arithmetic says whether an expression is numbers and operators alone.
func (s *scope) arithmetic(e ast.Expr) bool {
	ok := isNumber(s.typeOf(e)) && s.sheet.info.Types[e].Value == nil
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			ok = ok && s.sheet.info.Types[n.Fun].IsType()
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.ARROW && n.Op != token.AND
		case *ast.BinaryExpr:
			ok = ok && isNumber(s.typeOf(n.X)) && n.Op != token.QUO && n.Op != token.REM
		case *ast.IndexExpr, *ast.StarExpr, *ast.SelectorExpr, *ast.FuncLit, *ast.CompositeLit:
			ok = false
		}
		return ok
	})
	return ok
}

// dead returns the expressions of a statement whose value goes nowhere.
func (s *scope) dead(stmt ast.Stmt) []ast.Expr {
	switch n := stmt.(type) {
	case *ast.ExprStmt:
		return []ast.Expr{n.X}
	case *ast.AssignStmt:
		for _, l := range n.Lhs {
			if !isBlank(l) && !s.neverRead(s.local(l)) {
				return nil
			}
		}
		return n.Rhs
	}
	return nil
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// neverRead says whether nothing but `_ = v` and v itself reads a local
// variable.
func (s *scope) neverRead(v *types.Var) bool {
	if v == nil {
		return false
	}
	root := s
	for root.outer != nil {
		root = root.outer
	}
	if root.decl == nil || !within(span{v.Pos(), v.Pos()}, root.body) {
		return false // a parameter, a named result, or out of sight
	}
	ignored := make(map[*ast.Ident]bool)
	read := false
	ast.Inspect(root.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if len(n.Lhs) == 1 && len(n.Rhs) == 1 {
				own := s.variable(n.Lhs[0]) == v
				if id, ok := ast.Unparen(n.Rhs[0]).(*ast.Ident); ok && isBlank(n.Lhs[0]) {
					ignored[id] = true
				} else if own && n.Tok == token.ASSIGN {
					// v = v + …: reads that only feed v
					ast.Inspect(n.Rhs[0], func(m ast.Node) bool {
						if id, ok := m.(*ast.Ident); ok {
							ignored[id] = true
						}
						_, call := m.(*ast.CallExpr)
						return !call
					})
				}
			}
			for _, l := range n.Lhs {
				if id, ok := ast.Unparen(l).(*ast.Ident); ok {
					ignored[id] = true
				}
			}
		case *ast.IncDecStmt:
			if id, ok := n.X.(*ast.Ident); ok {
				ignored[id] = true
			}
		case *ast.Ident:
			if s.sheet.info.Uses[n] == v && !ignored[n] {
				read = true
			}
		}
		return !read
	})
	return !read
}
