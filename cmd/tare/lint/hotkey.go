package lint

import (
	"go/ast"
	"go/types"

	"github.com/tarebench/tare/internal/finding"
)

var hotKey = Check{
	Analyzer: analyzer("hotkey", runHotKey),
	Severity: finding.Warning,
	Default:  true,
}

// manyEntries is from how many entries on the place of one in the cache differs
// from that of the others.
const manyEntries = 1000

// searches are functions that look for their second argument in their first.
var searches = map[string]bool{
	"sort.SearchInts": true, "sort.SearchStrings": true, "sort.SearchFloat64s": true,
	"slices.BinarySearch": true, "slices.Index": true, "slices.Contains": true,
}

func runHotKey(r *reporter, s *scope) {
	if s.named("hot", "same", "miss", "single", "cached", "worst", "best") {
		return
	}
	for _, l := range s.loops {
		lookups := make(map[*types.Var][]ast.Expr) // the keys looked up
		s.walk(l.body, func(n, _ ast.Node) {
			if s.loopAround(n) != l || s.paused(l, n) {
				return
			}
			switch n := n.(type) {
			case *ast.IndexExpr:
				if _, ok := under(s.typeOf(n.X)).(*types.Map); ok {
					v := s.root(n.X)
					lookups[v] = append(lookups[v], n.Index)
				}
			case *ast.CallExpr:
				if fn := s.callee(n); fn != nil && searches[fn.Origin().FullName()] {
					v := s.root(n.Args[0])
					lookups[v] = append(lookups[v], n.Args[1])
				}
			}
		})
		for v, keys := range lookups {
			if v == nil || len(keys) != 1 || !s.fixed(keys[0]) || len(s.writes(v, l.body)) > 0 || s.filled(v, l) < manyEntries {
				continue
			}
			r.report(keys[0], "every iteration looks up the same key in "+v.Name()+", which has thousands: its entry is always in the cache", "look up a different key in each iteration", nil)
		}
	}
}

// fixed reports whether an expression is a constant, or a variable that only
// ever holds one.
func (s *scope) fixed(e ast.Expr) bool {
	if s.sheet.info.Types[e].Value != nil {
		return true
	}
	d := s.definition(s.local(e))
	return d != nil && s.sheet.info.Types[d].Value != nil
}

// filled returns how many entries the loops before l put into v, as far as
// that is constant.
func (s *scope) filled(v *types.Var, l *loop) int64 {
	most := int64(0)
	s.top().walk(s.top().body, func(n, _ ast.Node) {
		body := (*ast.BlockStmt)(nil)
		switch n := n.(type) {
		case *ast.ForStmt:
			body = n.Body
		case *ast.RangeStmt:
			body = n.Body
		}
		if body == nil || n.Pos() > l.stmt.Pos() {
			return
		}
		ast.Inspect(body, func(m ast.Node) bool {
			if a, ok := m.(*ast.AssignStmt); ok && len(a.Lhs) == 1 {
				if ix, ok := ast.Unparen(a.Lhs[0]).(*ast.IndexExpr); ok && s.root(ix.X) == v || s.variable(a.Lhs[0]) == v {
					most = max(most, s.rounds(n))
				}
			}
			return true
		})
	})
	return most
}
