package lint

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// emptied returns the value from which a method of this package takes an
// element in every iteration, of a fixed number that it had before; nil
// otherwise. The method returns early if there is none, and the loop does not
// check whether it did.
func (s *scope) emptied(call *ast.CallExpr, fn *types.Func, l *loop) *types.Var {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	decl := s.sheet.functions[fn.Origin()]
	if !ok || decl == nil || fn.Signature().Recv() == nil || !s.unconditional(call, l) || s.paused(l, call) {
		return nil
	}
	v := s.local(sel.X)
	if v == nil || !declaredOutside(v, l) || s.reused(v, call, l) || s.handlesEnd(call, fn, l) {
		return nil
	}
	field := s.sheet.shortened(fn, decl)
	if field == "" || !returnsWhenEmpty(decl.Body, field) {
		return nil
	}
	for _, other := range s.loops { // filled with b.N elements
		if other != l && s.mentions(other.stmt, v) {
			return nil
		}
	}
	if d := s.definition(v); d != nil && s.mentionsCount(d) {
		return nil
	}
	return v
}

// mentionsCount reports whether b.N is in an expression.
func (s *scope) mentionsCount(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		found = found || ok && s.isCount(e)
		return !found
	})
	return found
}

// shortened returns the field of its receiver, as it is written, that a method
// makes one element shorter in every call and never longer: r.f = r.f[1:] or
// r.f = r.f[:n]; "" without one.
func (sh *sheet) shortened(fn *types.Func, decl *ast.FuncDecl) string {
	names := scope{sheet: sh}
	field, writes := "", 0
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok {
			return true
		}
		for i, e := range a.Lhs {
			if _, selected := e.(*ast.SelectorExpr); !selected || names.root(e) != fn.Origin().Signature().Recv() {
				continue
			}
			writes++
			if part, ok := ast.Unparen(a.Rhs[min(i, len(a.Rhs)-1)]).(*ast.SliceExpr); ok && a.Tok == token.ASSIGN &&
				types.ExprString(part.X) == types.ExprString(e) && slices.Contains(decl.Body.List, ast.Stmt(a)) && !isZero(part.High) {
				field = types.ExprString(e)
			}
		}
		return true
	})
	if writes != 1 {
		return ""
	}
	return field
}

func isZero(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && lit.Value == "0"
}

// returnsWhenEmpty reports whether a body returns when a field has no element.
func returnsWhenEmpty(body *ast.BlockStmt, field string) bool {
	return slices.ContainsFunc(body.List, func(st ast.Stmt) bool {
		i, ok := st.(*ast.IfStmt)
		return ok && leaves(i) && types.ExprString(i.Cond) == "len("+field+") == 0"
	})
}
