package lint

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/tarebench/tare/internal/finding"
)

var spentInput = Check{
	Analyzer: analyzer("spentinput", runSpentInput),
	Severity: finding.Severe,
}

func runSpentInput(r *reporter, s *scope) {
	for _, l := range s.loops {
		s.calls(l.body, func(call *ast.CallExpr) {
			if v := s.deletedAgain(r, call, l); v != nil {
				r.report(call, "the key is deleted from "+v.Name()+" in the first iteration: the ones after it find nothing to delete", "insert it again in each iteration", nil)
				return
			}
			fn := s.callee(call)
			if fn == nil || s.loopAround(call) != l || s.inLiteral(call, l.body) {
				return
			}
			if v := s.emptied(call, fn, l); v != nil {
				r.report(call, v.Name()+" is emptied by the iterations: once nothing is left, "+fn.Name()+" returns early", "fill it again, or put back what is taken", nil)
				return
			}
			if v := s.usedUp(call, fn, l); v != nil {
				r.report(call, v.Name()+" is used up in the first iteration: the ones after it find nothing to do", "make a new one in each iteration, or fill it again", nil)
				return
			}
			if len(call.Args) == 0 {
				return
			}
			if does(fn, "sorts") {
				if strings.Contains(strings.ToLower(s.name), "sorted") {
					return // the benchmark measures sorted input
				}
				arg := s.sorted(call.Args[0])
				if v := s.variable(arg); v != nil && declaredOutside(v, l) && !s.reused(v, call, l) && !s.filledInOrder(v) {
					r.report(call, v.Name()+" is sorted from the second iteration on: only the first one does the work", "sort a fresh copy each time", nil)
				}
				return
			}
			if i := argumentOf(fn, "drains"); i >= 0 && i < len(call.Args) {
				if v := s.local(call.Args[i]); v != nil && declaredOutside(v, l) && s.madeBy(v, "ends") && !s.reused(v, call, l) {
					r.report(call, v.Name()+" is at its end from the second iteration on", "rewind it in the loop, or make a new reader", nil)
				}
			}
		})
	}
}

// usedUp returns the value that a method call uses up in the first iteration: a
// scanner or decoder on a reader that ends, or a sync.Once; nil otherwise.
func (s *scope) usedUp(call *ast.CallExpr, fn *types.Func, l *loop) *types.Var {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || fn.Signature().Recv() == nil || !s.unconditional(call, l) {
		return nil
	}
	v := s.local(sel.X)
	if v == nil || !declaredOutside(v, l) || len(s.writes(v, l.body)) > 0 {
		return nil
	}
	if fn.FullName() == "(*sync.Once).Do" {
		if lit, ok := ast.Unparen(call.Args[0]).(*ast.FuncLit); !ok || len(lit.Body.List) == 0 {
			return nil // the benchmark measures the cost of Do itself
		}
		return v
	}
	if !does(fn, "takes") || s.handlesEnd(call, fn, l) {
		return nil
	}
	chain := s.readerChain(v, 4)
	if len(chain) == 0 {
		return nil
	}
	for _, c := range chain {
		if s.rewound(c, l) {
			return nil
		}
	}
	return v
}

// handlesEnd reports whether the loop checks the error of a call. Then the
// benchmark fails, or ends, when there is nothing more to read.
func (s *scope) handlesEnd(call *ast.CallExpr, fn *types.Func, l *loop) bool {
	results := fn.Signature().Results()
	if fn.Name() == "Scan" || fn.Name() == "ReadAll" || results.Len() == 0 {
		return false
	}
	if results.At(results.Len()-1).Type().String() != "error" {
		return true // it reports the end in an unknown way
	}
	return !s.dropsError(call)
}

// readerChain returns the variables from a scanner or decoder to the reader
// that it was made from, if that has an end; nil otherwise.
func (s *scope) readerChain(v *types.Var, depth int) []*types.Var {
	call, ok := ast.Unparen(orEmpty(s.definition(v))).(*ast.CallExpr)
	if !ok || depth == 0 {
		return nil
	}
	if s.finite(call) {
		return []*types.Var{v}
	}
	for _, a := range call.Args {
		if w := s.local(a); w != nil {
			if chain := s.readerChain(w, depth-1); chain != nil {
				return append(chain, v)
			}
		} else if inner, ok := ast.Unparen(a).(*ast.CallExpr); ok && s.finite(inner) {
			return []*types.Var{v}
		}
	}
	return nil
}

// finite reports whether a call makes a reader that has an end.
func (s *scope) finite(call *ast.CallExpr) bool {
	fn := s.callee(call)
	return fn != nil && (does(fn, "ends") || fn.FullName() == "os.Open")
}

// rewound reports whether the loop may fill a reader again: a method of another
// kind, or a call that gets the reader.
func (s *scope) rewound(v *types.Var, l *loop) bool {
	if len(s.writes(v, l.body)) > 0 {
		return true
	}
	found := false
	s.calls(l.body, func(c *ast.CallExpr) {
		if sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok && s.variable(sel.X) == v {
			switch name := sel.Sel.Name; {
			case does(s.callee(c), "takes"), does(s.callee(c), "keeps"), name == "Text", name == "Err", name == "More", name == "Split", name == "InputOffset":
			default:
				found = true
			}
		}
		for _, a := range c.Args {
			found = found || s.root(a) == v
		}
	})
	return found
}

// deletedAgain returns the map that a call deletes the same key from in every
// iteration, while nothing in the loop inserts into it.
func (s *scope) deletedAgain(r *reporter, call *ast.CallExpr, l *loop) *types.Var {
	if !isBuiltin(r, call, "delete") || s.loopAround(call) != l || !s.unconditional(call, l) || !s.fixed(call.Args[1]) {
		return nil
	}
	v := s.variable(call.Args[0])
	if v == nil || !declaredOutside(v, l) || s.reused(v, call, l) {
		return nil
	}
	return v
}

// sorted strips the wrapper that sort.Sort needs around a slice:
// sort.IntSlice(x), byAge(x), sort.Reverse(…).
func (s *scope) sorted(e ast.Expr) ast.Expr {
	for {
		e = s.unconvert(e)
		call, ok := e.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 {
			return e
		}
		if fn := s.callee(call); fn == nil || fn.FullName() != "sort.Reverse" {
			return e
		}
		e = call.Args[0]
	}
}

// filledInOrder reports whether an earlier loop fills v from its counter, in
// order. The author then wants sorted input.
func (s *scope) filledInOrder(v *types.Var) bool {
	found := false
	ast.Inspect(s.body, func(n ast.Node) bool {
		f, ok := n.(*ast.ForStmt)
		if !ok {
			return !found
		}
		init, ok := f.Init.(*ast.AssignStmt)
		if !ok || len(init.Lhs) != 1 {
			return true
		}
		counter := s.local(init.Lhs[0])
		for _, w := range s.fills(v, f.Body) {
			found = found || counter != nil && s.mentions(w, counter) && !s.scrambles(w)
		}
		return !found
	})
	return found
}

// fills returns the values that are put into v under root: the values of v[i] =
// x and v = append(v, x).
func (s *scope) fills(v *types.Var, root ast.Node) []ast.Expr {
	var list []ast.Expr
	ast.Inspect(root, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
			return true
		}
		if ix, ok := a.Lhs[0].(*ast.IndexExpr); ok && s.variable(ix.X) == v {
			list = append(list, a.Rhs[0])
		}
		if call, ok := a.Rhs[0].(*ast.CallExpr); ok && s.variable(a.Lhs[0]) == v && len(call.Args) == 2 {
			list = append(list, call.Args[1])
		}
		return true
	})
	return list
}

// scrambles reports whether an expression changes an order: %, ^, -, or a
// random number.
func (s *scope) scrambles(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			found = found || n.Op == token.REM || n.Op == token.XOR || n.Op == token.SUB
		case *ast.UnaryExpr:
			found = found || n.Op == token.SUB || n.Op == token.XOR
		case *ast.CallExpr:
			if fn := s.callee(n); fn != nil {
				found = found || does(fn, "random")
			}
		}
		return !found
	})
	return found
}

// madeBy reports whether the only value v ever gets is a call with an effect.
func (s *scope) madeBy(v *types.Var, effect string) bool {
	call, ok := ast.Unparen(orEmpty(s.definition(v))).(*ast.CallExpr)
	return ok && does(s.callee(call), effect)
}

// reused reports whether other code in the loop may fill v again: it is
// assigned, indexed on the left, used by another call or another method. len
// and cap do not count. A second sort may restore the order.
func (s *scope) reused(v *types.Var, spender *ast.CallExpr, l *loop) bool {
	if len(s.writes(v, l.body)) > 0 {
		return true
	}
	found := false
	s.walk(l.body, func(n, _ ast.Node) {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				if _, ident := ast.Unparen(e).(*ast.Ident); !ident && s.mentions(e, v) {
					found = true // v[i] = …, v.field = …
				}
			}
		case *ast.IncDecStmt:
			found = found || s.mentions(n.X, v)
		case *ast.CallExpr:
			if n == spender || within(n, spender) || within(spender, n) {
				return
			}
			if id, ok := n.Fun.(*ast.Ident); ok && (id.Name == "len" || id.Name == "cap") {
				return
			}
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && s.mentions(sel.X, v) {
				switch sel.Sel.Name {
				case "Len", "Size":
				default:
					found = true
				}
			}
			for _, a := range n.Args {
				if s.mentions(a, v) {
					found = true
				}
			}
		}
	})
	return found
}

// fixed reports whether an expression is a constant, or a variable with only
// one value.
func (s *scope) fixed(e ast.Expr) bool {
	if s.sheet.info.Types[e].Value != nil {
		return true
	}
	d := s.definition(s.local(e))
	return d != nil && s.sheet.info.Types[d].Value != nil
}

// dropsError reports whether the last result of a call is unused.
func (s *scope) dropsError(call *ast.CallExpr) bool {
	switch p := s.parents[call].(type) {
	case *ast.ExprStmt:
		return true
	case *ast.AssignStmt:
		return len(p.Rhs) == 1 && isBlank(p.Lhs[len(p.Lhs)-1])
	}
	return false
}
