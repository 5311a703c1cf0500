package lint

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// onlyGrows reports whether nothing in the loop sets the variables of a growth
// again, empties them, or passes them to a function that may.
func (s *scope) onlyGrows(g growth, all []growth, l *loop) bool {
	grows := func(n ast.Node) bool {
		return slices.ContainsFunc(all, func(o growth) bool { return within(n, o.at) })
	}
	for _, v := range g.vars {
		for _, w := range s.writes(v, l.body) {
			if !grows(w) {
				return false
			}
		}
	}
	keeps := !s.drained(g.vars[0], l)
	s.walk(l.body, func(n, _ ast.Node) {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				if grows(n) {
					continue
				}
				if g.path != "" && types.ExprString(e) == g.path || g.path == "" && s.setsField(e, g.vars) {
					keeps = false // x.f = x.f[:0]
				}
			}
		case *ast.CallExpr:
			keeps = keeps && (grows(n) || !s.mayEmpty(n, g.vars))
		case *ast.RangeStmt:
			_, channel := under(s.typeOf(n.X)).(*types.Chan)
			keeps = keeps && !channel
		}
	})
	return keeps
}

// setsField reports whether the assigned expression e is a field of one of the
// variables.
func (s *scope) setsField(e ast.Expr, vars []*types.Var) bool {
	_, field := ast.Unparen(e).(*ast.SelectorExpr)
	return field && slices.Contains(vars, s.root(e))
}

// drained reports whether the loop uses a value that was made from v and may
// read it: a decoder on the buffer, or on a reader of it.
func (s *scope) drained(v *types.Var, l *loop) bool {
	found := false
	ast.Inspect(l.body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && !found {
			found = s.readerOf(s.definition(s.local(id)), v, 3)
		}
		return !found
	})
	return found
}

// readerOf reports whether e is a call that makes something that may read v,
// from v itself or from another reader of it.
func (s *scope) readerOf(e ast.Expr, v *types.Var, depth int) bool {
	call, ok := ast.Unparen(orEmpty(e)).(*ast.CallExpr)
	if !ok || depth == 0 {
		return false
	}
	for i, a := range call.Args {
		if s.root(a) == v && isSink(s.typeOf(a)) {
			if fn := s.callee(call); fn == nil || !s.writesTo(fn, i) {
				return true
			}
			continue
		}
		if d := s.definition(s.local(a)); d != nil {
			a = d
		}
		if s.readerOf(a, v, depth-1) {
			return true
		}
	}
	return false
}

// mayEmpty reports whether a call may take something out of one of the
// variables.
func (s *scope) mayEmpty(call *ast.CallExpr, vars []*types.Var) bool {
	if tv := s.sheet.info.Types[call.Fun]; tv.IsType() {
		return false
	}
	name := types.ExprString(call.Fun)
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && slices.Contains(vars, s.root(sel.X)) {
		fn := s.callee(call)
		if fn != nil && s.sheet.functions[fn.Origin()] != nil {
			return s.sheet.sets(fn, 4)
		}
		return !does(fn, "keeps") && !strings.HasPrefix(sel.Sel.Name, "Write") && sel.Sel.Name != "Encode"
	}
	for _, a := range call.Args {
		v := s.root(a)
		if !slices.Contains(vars, v) {
			continue
		}
		switch under(s.typeOf(a)).(type) {
		case *types.Slice, *types.Basic:
			// A copy: its content stays.
		case *types.Map, *types.Pointer, *types.Interface, *types.Struct:
			if name != "len" && !strings.HasPrefix(name, "fmt.") {
				return true
			}
		}
	}
	return false
}

// sets reports whether a method of this package, or one that it calls on its
// receiver, assigns to a field of the receiver or clears one.
func (sh *sheet) sets(fn *types.Func, depth int) bool {
	decl := sh.functions[fn.Origin()]
	if decl == nil || depth == 0 {
		return true // not visible
	}
	names := scope{sheet: sh}
	recv := fn.Origin().Signature().Recv()
	found := false
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				if _, ident := e.(*ast.Ident); !ident && names.root(e) == recv {
					found = true
				}
			}
		case *ast.CallExpr:
			if f := types.ExprString(n.Fun); f == "delete" || f == "clear" {
				found = true
			}
		}
		return !found
	})
	return found || sh.callsSetter(fn, depth)
}

// callsSetter reports whether a method of this package calls another one on
// its receiver that assigns to a field of it or clears one.
func (sh *sheet) callsSetter(fn *types.Func, depth int) bool {
	names := scope{sheet: sh}
	recv := fn.Origin().Signature().Recv()
	found := false
	ast.Inspect(sh.functions[fn.Origin()].Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return !found
		}
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && names.root(sel.X) == recv {
			if inner := names.callee(call); inner != nil && inner.Origin() != fn.Origin() && sh.functions[inner.Origin()] != nil {
				found = found || sh.sets(inner, depth-1)
			}
		}
		return !found
	})
	return found
}
