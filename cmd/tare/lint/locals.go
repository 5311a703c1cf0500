package lint

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// top returns the scope of the declaration around s, or of the outermost
// function literal with a b.
func (s *scope) top() *scope {
	for s.outer != nil {
		s = s.outer
	}
	return s
}

// definition returns the only expression that is assigned to a local variable,
// or nil if there are several or none.
func (s *scope) definition(v *types.Var) ast.Expr {
	if v == nil {
		return nil
	}
	var only ast.Expr
	for _, w := range s.writes(v, s.top().body) {
		e := s.assigned(v, w)
		if only != nil || e == nil {
			return nil
		}
		only = e
	}
	return only
}

// assigned returns the value that a statement writes to v, or nil if it is not
// a separate expression. For a call with several results it is the call.
func (s *scope) assigned(v *types.Var, w ast.Node) ast.Expr {
	switch w := w.(type) {
	case *ast.AssignStmt:
		if w.Tok != token.ASSIGN && w.Tok != token.DEFINE {
			return nil
		}
		for i, l := range w.Lhs {
			if s.variable(l) == v {
				if len(w.Rhs) == len(w.Lhs) {
					return w.Rhs[i]
				}
				return w.Rhs[0]
			}
		}
	case *ast.ValueSpec:
		for i, id := range w.Names {
			if s.sheet.info.Defs[id] == v && len(w.Values) > 0 {
				return w.Values[min(i, len(w.Values)-1)]
			}
		}
	}
	return nil
}

// made returns the constant number of elements that a local slice, array or
// string is made with, 0 if it is not known.
func (s *scope) made(e ast.Expr) int64 {
	switch t := under(s.typeOf(e)).(type) {
	case *types.Array:
		return t.Len()
	case *types.Pointer:
		if a, ok := under(t.Elem()).(*types.Array); ok {
			return a.Len()
		}
	}
	call, ok := ast.Unparen(s.definition(s.local(e))).(*ast.CallExpr)
	if !ok || !s.sheet.info.Types[call.Fun].IsBuiltin() || len(call.Args) < 2 {
		return 0
	}
	return s.value(call.Args[1])
}

// rounds is the constant number of rounds of a loop, 0 if it is not known.
func (s *scope) rounds(n ast.Node) int64 {
	switch n := n.(type) {
	case *ast.ForStmt:
		cond, ok := n.Cond.(*ast.BinaryExpr)
		if _, steps := n.Post.(*ast.IncDecStmt); !ok || !steps || cond.Op != token.LSS && cond.Op != token.LEQ {
			return 0
		}
		return s.length(cond.Y)
	case *ast.RangeStmt:
		if isNumber(s.typeOf(n.X)) {
			return s.value(n.X)
		}
		return s.made(n.X)
	}
	return 0
}

// length is the value of a constant, of a local with only one value, or len of
// a value with a known length. It is 0 if unknown.
func (s *scope) length(e ast.Expr) int64 {
	if v := s.value(e); v != 0 {
		return v
	}
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && len(call.Args) == 1 {
		if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok && id.Name == "len" {
			return s.made(call.Args[0])
		}
	}
	if d := s.definition(s.local(e)); d != nil {
		return s.value(d)
	}
	return 0
}

func (s *scope) named(words ...string) bool {
	name := strings.ToLower(s.name)
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(name, w) })
}
