package lint

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/tarebench/tare/finding"
)

var growingState = Check{
	Analyzer: analyzer("growingstate", runGrowingState),
	Severity: finding.Warning,
	Default:  true,
}

func runGrowingState(r *reporter, s *scope) {
	for _, l := range s.loops {
		if len(l.body.List) < 2 || s.measures(nil) {
			continue // it does nothing else, or collects measurements of its own
		}
		s.walk(l.body, func(n, _ ast.Node) {
			a, ok := n.(*ast.AssignStmt)
			if !ok || len(a.Lhs) != 1 || len(a.Rhs) != 1 || a.Tok != token.ASSIGN ||
				s.loopAround(a) != l || !s.unconditional(a, l) || s.paused(l, a) {
				return
			}
			if v := s.appended(r, a); v != nil && declaredOutside(v, l) && s.onlyGrows(v, a, l) {
				r.report(a, v.Name()+" grows with every iteration: time and memory per operation depend on the number of iterations", "empty it in the loop, or write to a fixed place", nil)
			}
			if v := s.inserted(a, l); v != nil && declaredOutside(v, l) && s.onlyGrows(v, a, l) {
				r.report(a, v.Name()+" gets a new key in every iteration: time and memory per operation depend on the number of iterations", "use keys from a fixed range, or clear it", nil)
			}
		})
	}
}

// appended returns x of x = append(x, …).
func (s *scope) appended(r *reporter, a *ast.AssignStmt) *types.Var {
	call, ok := ast.Unparen(a.Rhs[0]).(*ast.CallExpr)
	if !ok || !isBuiltin(r, call, "append") || len(call.Args) < 2 {
		return nil
	}
	v := s.variable(a.Lhs[0])
	if v == nil || s.variable(call.Args[0]) != v {
		return nil
	}
	return v
}

// inserted returns m of m[k] = …, where k is made from the counter.
func (s *scope) inserted(a *ast.AssignStmt, l *loop) *types.Var {
	ix, ok := ast.Unparen(a.Lhs[0]).(*ast.IndexExpr)
	if !ok || l.counter == nil {
		return nil
	}
	if _, ok := under(s.typeOf(ix.X)).(*types.Map); !ok || !s.mentions(ix.Index, l.counter) {
		return nil
	}
	bounded := false
	ast.Inspect(ix.Index, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.REM || n.Op == token.AND || n.Op == token.AND_NOT || n.Op == token.SHR || n.Op == token.QUO {
				bounded = true
			}
		case *ast.IndexExpr:
			bounded = true // keys[i]: a table made before
		case *ast.CallExpr:
			if tv := s.sheet.info.Types[n.Fun]; tv.IsType() {
				if b, ok := under(tv.Type).(*types.Basic); ok && types.SizesFor("gc", "amd64").Sizeof(b) < 4 {
					bounded = true // uint8(i)
				}
			}
		}
		return true
	})
	if bounded {
		return nil
	}
	return s.variable(ix.X)
}

// onlyGrows says whether nothing else in the loop sets v, empties it or gets
// its address.
func (s *scope) onlyGrows(v *types.Var, grow ast.Node, l *loop) bool {
	for _, w := range s.writes(v, l.body) {
		if w != grow {
			return false
		}
	}
	emptied := false
	s.calls(l.body, func(c *ast.CallExpr) {
		if id, ok := c.Fun.(*ast.Ident); ok && (id.Name == "clear" || id.Name == "delete") && len(c.Args) > 0 && s.variable(c.Args[0]) == v {
			emptied = true
		}
	})
	return !emptied
}
