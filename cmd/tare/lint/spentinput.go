package lint

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/tarebench/tare/internal/finding"
)

var spentInput = Check{
	Analyzer: analyzer("spentinput", runSpentInput),
	Severity: finding.Severe,
}

func runSpentInput(r *reporter, s *scope) {
	for _, l := range s.loops {
		s.calls(l.body, func(call *ast.CallExpr) {
			fn := s.callee(call)
			if fn == nil || s.loopAround(call) != l || s.literal(call, l.body) != nil {
				return
			}
			if does(fn, "sorts") && !s.named("sorted") {
				if v := s.variable(s.sorted(call.Args[0])); s.madeOnce(v, l) && !s.reused(v, call, s.body) {
					r.report(call, v.Name()+" is sorted from the second iteration on: only the first one does the work", "sort a fresh copy each time")
				}
			}
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"Scan", "Decode", "Read", "ReadAll", "Token"}, sel.Sel.Name) && !s.paused(l, call) {
				if v := s.local(sel.X); v != nil && s.madeOnce(v, l) && s.endsIn(s.definition(v), l) {
					r.report(call, v.Name()+" is at its end after the first iterations", "make a new one in the loop")
				}
			}
			if i := argumentOf(fn, "drains"); i >= 0 && i < len(call.Args) {
				v := s.local(call.Args[i])
				made, ok := ast.Unparen(s.definition(v)).(*ast.CallExpr)
				if ok && declaredOutside(v, l) && does(s.callee(made), "ends") && !s.reused(v, call, l.body) {
					r.report(call, v.Name()+" is at its end from the second iteration on", "rewind it in the loop, or make a new reader")
				}
			}
		})
	}
}

// endsIn reports whether e makes a scanner or decoder of a reader that has an
// end, and that the loop does not fill again.
func (s *scope) endsIn(e ast.Expr, l *loop) bool {
	made, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || argumentOf(s.callee(made), "drains") != 0 || len(made.Args) == 0 || s.callee(made).Signature().Results().Len() == 0 {
		return false
	}
	from := ast.Unparen(made.Args[0])
	if v := s.local(from); v != nil {
		if s.mentions(l.body, v, nil) || !s.madeOnce(v, l) {
			return false
		}
		from = ast.Unparen(s.definition(v))
	}
	reader, ok := from.(*ast.CallExpr)
	return ok && does(s.callee(reader), "ends")
}

func (s *scope) madeOnce(v *types.Var, l *loop) bool {
	return v != nil && declaredOutside(v, l) && len(s.writes(v, s.top().body)) <= 1
}

// sorted strips the wrapper that sort.Sort needs around a slice:
// sort.IntSlice(x), byAge(x), sort.Reverse(…).
func (s *scope) sorted(e ast.Expr) ast.Expr {
	for {
		e = s.unconvert(e)
		call, ok := e.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 || !isFunction(s.callee(call), "sort.Reverse") {
			return e
		}
		e = call.Args[0]
	}
}

// reused reports whether code under root, other than one call, may fill v: it
// assigns to v or to a part of it, or calls something with it.
func (s *scope) reused(v *types.Var, spender *ast.CallExpr, root ast.Node) bool {
	return s.anyNode(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt: // v[i] = …, v.field = …
			return slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool { return !isA[*ast.Ident](ast.Unparen(e)) && s.mentions(e, v, nil) })
		case *ast.IncDecStmt:
			return s.mentions(n.X, v, nil)
		case *ast.CallExpr:
			builtin := s.sheet.info.Types[n.Fun].IsBuiltin()
			return !(builtin && types.ExprString(n.Fun) == "len" || within(n, spender) || within(spender, n)) && s.mentions(n, v, nil)
		}
		return false
	})
}
