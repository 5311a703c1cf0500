package lint

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/tarebench/tare/internal/finding"
)

var sizeFromN = Check{
	Analyzer: analyzer("bnsize", runSizeFromN),
	Severity: finding.Severe,
}

func runSizeFromN(r *reporter, s *scope) {
	s.calls(s.body, func(call *ast.CallExpr) {
		s.sizedArgument(r, call)
		if r.TypesInfo.Types[call.Fun].IsType() || s.reports(call) {
			return
		}
		in := s.loopAround(call)
		for i, arg := range call.Args {
			if !s.scaledCount(arg) {
				continue
			}
			switch fn := s.callee(call); {
			case in != nil && in.kind != loopNext && !s.paused(in, call) && !isBuiltin(r, call, "append", "copy", "min", "max"):
				r.report(arg, "b.N as an argument inside the timed loop: the work of one iteration grows with the number of iterations, so time per operation means nothing", "use a fixed size")
			case in == nil && s.sheet.growth(fn, i) == superlinear:
				r.report(arg, "b.N as the size of the work: "+fn.Name()+" does more than b.N equal steps, so time per operation means nothing", "loop b.N times over a fixed size")
			}
		}
	})
}

// sizedArgument reports a slice or a string of b.N elements that is sorted, or
// that a timed loop passes to a function that reads all of it.
func (s *scope) sizedArgument(r *reporter, call *ast.CallExpr) {
	fn := s.callee(call)
	if fn == nil || len(call.Args) == 0 {
		return
	}
	v := s.local(call.Args[0])
	made, ok := ast.Unparen(s.definition(v)).(*ast.CallExpr)
	if !ok || !s.sizedByCount(r, made) {
		return
	}
	in := s.loopAround(call)
	switch sort := does(fn, "sorts"); {
	case in != nil && in.kind == loopN && !s.paused(in, call) && (sort || calledFrom(fn, "strings") || calledFrom(fn, "bytes") || calledFrom(fn, "slices")):
		r.report(call, v.Name()+" has b.N elements, and the timed loop reads them all: the work of one iteration grows with the number of iterations, so time per operation means nothing", "use a fixed size")
	case sort && len(s.loops) == 0:
		r.report(call, "b.N as the size of the work: "+fn.Name()+" of "+v.Name()+" does more than b.N equal steps, so time per operation means nothing", "loop b.N times over a fixed size")
	}
}

// sizedByCount reports whether a call makes a slice or a string whose length is
// b.N, or a constant part or multiple of it.
func (s *scope) sizedByCount(r *reporter, call *ast.CallExpr) bool {
	if isBuiltin(r, call, "make") {
		return len(call.Args) > 1 && s.scaledCount(call.Args[1])
	}
	i := argumentOf(s.callee(call), "sized")
	return i >= 0 && s.scaledCount(call.Args[i])
}

func isBuiltin(r *reporter, call *ast.CallExpr, names ...string) bool {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	return ok && r.TypesInfo.Types[call.Fun].IsBuiltin() && slices.Contains(names, id.Name)
}

// reports reports whether a call only prints: methods of b, fmt, log, errors.
func (s *scope) reports(call *ast.CallExpr) bool {
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && s.isB(sel.X) {
		return true
	}
	fn := s.callee(call)
	return calledFrom(fn, "fmt") || calledFrom(fn, "log") || calledFrom(fn, "errors")
}

// scaledCount matches b.N, and b.N with a constant added or multiplied.
func (s *scope) scaledCount(e ast.Expr) bool {
	return s.isCount(e) || s.scaled(e, s.isCount)
}

func (s *scope) scaled(e ast.Expr, is func(ast.Expr) bool) bool {
	bin, ok := s.unconvert(e).(*ast.BinaryExpr)
	if !ok {
		return false
	}
	switch bin.Op {
	case token.ADD, token.SUB, token.MUL:
	default:
		return false
	}
	constant := func(e ast.Expr) bool { return s.sheet.info.Types[e].Value != nil }
	return is(bin.X) && constant(bin.Y) || is(bin.Y) && constant(bin.X)
}

type growthKind int

const (
	unknownGrowth growthKind = iota
	linear                   // one loop bounded by it
	superlinear              // recursion on it, or nested loops bounded by it
)

func (sh *sheet) growth(fn *types.Func, index int) growthKind {
	if fn == nil {
		return unknownGrowth
	}
	decl := sh.functions[fn.Origin()]
	sig := fn.Origin().Signature()
	if decl == nil || index >= sig.Params().Len() || sig.Variadic() && index >= sig.Params().Len()-1 {
		return unknownGrowth
	}
	param := sig.Params().At(index)
	if b, ok := under(param.Type()).(*types.Basic); !ok || b.Info()&types.IsInteger == 0 {
		return unknownGrowth
	}
	names := &scope{sheet: sh} // only for its helpers, which need only the sheet
	kind := unknownGrowth
	written := len(names.writes(param, decl.Body)) > 0
	depth := 0
	var bounded func(n ast.Node) bool
	descend := func(body ast.Node) bool {
		depth++
		kind = max(kind, linear)
		if depth > 1 {
			kind = superlinear
		}
		ast.Inspect(body, bounded)
		depth--
		return false
	}
	bounded = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if names.callee(n) == fn.Origin() || names.callee(n) == fn {
				for _, a := range n.Args {
					if names.scaled(a, func(e ast.Expr) bool { return names.variable(e) == param }) {
						kind = superlinear
					}
				}
			}
		case *ast.ForStmt:
			if cond, ok := n.Cond.(*ast.BinaryExpr); ok && !written && names.variable(names.unconvert(cond.Y)) == param &&
				(cond.Op == token.LSS || cond.Op == token.LEQ) {
				return descend(n.Body)
			}
		case *ast.RangeStmt:
			if !written && (names.variable(names.unconvert(n.X)) == param || madeWith(decl.Body, names, n.X, param)) {
				return descend(n.Body)
			}
		}
		return true
	}
	ast.Inspect(decl.Body, bounded)
	return kind
}

// madeWith reports whether a slice is made, once, with a length that comes from
// a parameter.
func madeWith(body ast.Node, names *scope, slice ast.Expr, length *types.Var) bool {
	v := names.variable(slice)
	if v == nil {
		return false
	}
	return slices.ContainsFunc(names.writes(v, body), func(w ast.Node) bool {
		a, ok := w.(*ast.AssignStmt)
		if !ok || len(a.Rhs) != 1 {
			return false
		}
		call, ok := ast.Unparen(a.Rhs[0]).(*ast.CallExpr)
		return ok && types.ExprString(call.Fun) == "make" && len(call.Args) > 1 && names.variable(names.unconvert(call.Args[1])) == length
	})
}
