package lint

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/tarebench/tare/finding"
)

var deadResult = Check{
	Title:    "work whose result nobody reads",
	Default:  true,
	Severity: finding.Severe,
	Wrong: `
func BenchmarkPopcount(b *testing.B) {
	for i := 0; i < b.N; i++ {
		popcount(uint64(i))
	}
}

func popcount(x uint64) int {
	x -= x >> 1 & 0x5555555555555555
	return int(x * 0x0101010101010101 >> 56)
}`,
	Right: `
func BenchmarkPopcount(b *testing.B) {
	for i := uint64(0); b.Loop(); i++ {
		popcount(i)
	}
}

func popcount(x uint64) int {
	x -= x >> 1 & 0x5555555555555555
	return int(x * 0x0101010101010101 >> 56)
}`,
	Analyzer: analyzer("deadresult", "report small pure calls whose result is dropped in a b.N loop\n\nThe compiler inlines a small function and then deletes what nobody uses: what is measured is an empty loop. `_ = f(x)` and a local that is never read do not help. Loop with b.Loop, or keep the result in an exported package variable. Reported are calls that the compiler can really delete: small, no loops, no calls left, no stores. `tare lint -prove` looks at the machine code.", runDeadResult),
}

func runDeadResult(r *reporter, s *scope) {
	for _, l := range s.loops {
		if l.kind == loopLoop {
			continue
		}
		s.walk(l.body, func(n, _ ast.Node) {
			stmt, ok := n.(ast.Stmt)
			if !ok || s.loopAround(n) != l || s.inLiteral(n, l.body) || s.paused(l, n) {
				return
			}
			for _, e := range s.dead(stmt) {
				switch e := ast.Unparen(e).(type) {
				case *ast.CallExpr:
					if fn := s.callee(e); s.sheet.deletable(fn) && fn.Signature().Results().Len() > 0 {
						r.report(e, "nobody reads the result of "+fn.Name()+": the compiler may inline the call and delete it; loop with b.Loop, or keep the result in an exported variable", r.toLoop(s, l))
					}
				case *ast.BinaryExpr:
					if s.arithmetic(e) {
						r.report(e, "nobody reads this value: the compiler deletes its computation; loop with b.Loop, or keep it in an exported variable", r.toLoop(s, l))
					}
				}
			}
		})
	}
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
