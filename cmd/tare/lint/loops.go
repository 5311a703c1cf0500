package lint

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// loopKind is what counts the iterations of a timed loop.
type loopKind string

const (
	loopN    loopKind = "b.N"        // for i := 0; i < b.N; i++, or for range b.N
	loopLoop loopKind = "b.Loop"     // for b.Loop()
	loopNext loopKind = "pb.Next"    // for pb.Next(), in RunParallel
	loopTare loopKind = "bench.Next" // for bench.Next(), of tare's own library
)

// ownNext begins an operation of a benchmark of tare's library, in any function.
const ownNext = "(*github.com/tarebench/tare.Benchmark).Next"

type loop struct {
	kind loopKind
	stmt ast.Stmt // *ast.ForStmt or *ast.RangeStmt
	body *ast.BlockStmt
	// counter is the variable that counts the iterations, or nil.
	counter *types.Var
	// hidden reports whether the condition calls a Loop method that hides the
	// method of *testing.B. The compiler does not keep the work of such a loop
	// alive.
	hidden bool
}

// kept reports whether the compiler keeps the results of calls in the loop
// alive.
func (l *loop) kept() bool { return l.kind == loopLoop && !l.hidden }

func (s *scope) loopOf(stmt ast.Stmt) *loop {
	switch n := stmt.(type) {
	case *ast.RangeStmt:
		if s.isCount(n.X) {
			return &loop{kind: loopN, stmt: n, body: n.Body, counter: s.local(n.Key)}
		}
	case *ast.ForStmt:
		l := &loop{kind: loopN, stmt: n, body: n.Body}
		if init, ok := n.Init.(*ast.AssignStmt); ok && len(init.Lhs) > 0 {
			l.counter = s.local(init.Lhs[0])
			if n.Cond != nil && len(init.Rhs) == 1 && s.isCount(init.Rhs[0]) {
				return l // for i := b.N; i > 0; i--
			}
		}
		switch cond := ast.Unparen(n.Cond).(type) {
		case *ast.CallExpr:
			fn := s.callee(cond)
			switch {
			case s.isMethod(cond, "Loop"), isFunction(fn, "(*testing.B).Loop"):
				l.kind = loopLoop
			case fn != nil && wrapsLoop(fn):
				l.kind, l.hidden = loopLoop, true
			case s.isNext(cond):
				l.kind = loopNext
			case isFunction(fn, ownNext):
				l.kind = loopTare
			default:
				return nil
			}
			return l
		case *ast.BinaryExpr:
			if anyNode(cond, s.isCount) {
				if l.counter == nil {
					l.counter = s.local(cond.X)
				}
				return l
			}
		}
	}
	return nil
}

func (s *scope) isN(e ast.Expr) bool {
	sel, ok := s.unconvert(e).(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "N" && s.isB(sel.X)
}

// isCount reports whether e is b.N, or a variable with its value.
func (s *scope) isCount(e ast.Expr) bool {
	return s.isN(e) || s.counts[s.variable(s.unconvert(e))]
}

func (s *scope) unconvert(e ast.Expr) ast.Expr {
	for {
		e = ast.Unparen(e)
		call, ok := e.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 || !s.sheet.info.Types[call.Fun].IsType() {
			return e
		}
		e = call.Args[0]
	}
}

func (s *scope) isB(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && s.sheet.info.Uses[id] == s.b
}

func (s *scope) isMethod(call *ast.CallExpr, names ...string) bool {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	return ok && s.isB(sel.X) && slices.Contains(names, sel.Sel.Name)
}

func (s *scope) isNext(call *ast.CallExpr) bool {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "Next" && isTesting(s.typeOf(sel.X), "PB")
}

func (s *scope) typeOf(e ast.Expr) types.Type {
	if t := s.sheet.info.TypeOf(e); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

func (s *scope) methodCall(stmt ast.Stmt, names ...string) *ast.CallExpr {
	if e, ok := stmt.(*ast.ExprStmt); ok {
		if call, ok := e.X.(*ast.CallExpr); ok && s.isMethod(call, names...) {
			return call
		}
	}
	return nil
}

func (s *scope) loopAround(n ast.Node) *loop {
	var best *loop
	for _, l := range s.loops {
		if within(n, l.body) && (best == nil || within(l.stmt, best.body)) {
			best = l
		}
	}
	return best
}

func (s *scope) timerCalls(l *loop) []*ast.CallExpr {
	var list []*ast.CallExpr
	s.calls(l.body, func(c *ast.CallExpr) {
		if s.isMethod(c, "StopTimer", "StartTimer") {
			list = append(list, c)
		}
	})
	return list
}

func methodName(c *ast.CallExpr) string {
	if sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok {
		return sel.Sel.Name
	}
	return ""
}

// paused reports whether the timer is stopped at n. Either the nearest timer
// call before n, in source order, is StopTimer, or the loop's first timer call
// is StartTimer and comes after n.
func (s *scope) paused(l *loop, n ast.Node) bool {
	calls := s.timerCalls(l)
	if len(calls) == 0 {
		return false
	}
	stopped := methodName(calls[0]) == "StartTimer"
	for _, c := range calls {
		if c.Pos() > n.Pos() {
			break
		}
		stopped = methodName(c) == "StopTimer"
	}
	return stopped
}

// local returns the variable of an identifier, if it is declared inside a
// function.
func (s *scope) local(e ast.Expr) *types.Var {
	v := s.variable(e)
	if v == nil || v.IsField() || v.Pkg() == nil || v.Parent() == v.Pkg().Scope() {
		return nil
	}
	return v
}

// variable returns the variable that an identifier defines or uses. It is nil for
// any other expression, and for none.
func (s *scope) variable(e ast.Expr) *types.Var {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	v, _ := s.sheet.info.ObjectOf(id).(*types.Var)
	return v
}

// writes returns the statements under root that set v: assignments,
// declarations, increments, and the taking of its address.
func (s *scope) writes(v *types.Var, root ast.Node) []ast.Node {
	var list []ast.Node
	for n := range ast.Preorder(root) {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				if s.variable(e) == v {
					list = append(list, n)
				}
			}
		case *ast.IncDecStmt:
			if s.variable(n.X) == v {
				list = append(list, n)
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				if s.sheet.info.Defs[id] == v {
					list = append(list, n)
				}
			}
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if s.variable(e) == v {
					list = append(list, n)
				}
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND && s.variable(n.X) == v {
				list = append(list, n)
			}
		}
	}
	return list
}

// mentions reports whether v is used or defined under root, and not under except,
// which may be nil.
func (s *scope) mentions(root ast.Node, v *types.Var, except ast.Node) bool {
	return anyNode(root, func(id *ast.Ident) bool {
		return s.sheet.info.ObjectOf(id) == v && !within(id, except)
	})
}

func declaredOutside(v *types.Var, l *loop) bool {
	return v.Pos() < l.stmt.Pos() || v.Pos() > l.stmt.End()
}
