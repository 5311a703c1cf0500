package lint

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/finding"
)

var growingState = Check{
	Analyzer: analyzer("growingstate", runGrowingState),
	Severity: finding.Warning,
}

// growth is one place in a timed loop that makes state grow.
type growth struct {
	at ast.Node
	// vars are the variables that must not be emptied: the variable that grows
	// first, then the writers that lead to it.
	vars []*types.Var
	// path is the expression that grows, for a field of the variable.
	path string
	// inserts is true for a new key, false for a longer sequence.
	inserts bool
	// works is true if the place does more than grow the state. This work should
	// have been measured.
	works bool
}

func runGrowingState(r *reporter, s *scope) {
	if s.measures(nil) {
		return // it collects its own measurements
	}
	for _, l := range s.loops {
		list := s.growths(r, l)
		reported := make(map[*types.Var]bool)
		for _, g := range list {
			v := g.vars[0]
			if reported[v] || !g.works && len(l.body.List) < 2 || !s.onlyGrows(g, list, l) {
				continue
			}
			reported[v] = true
			if g.inserts {
				r.report(g.at, v.Name()+" gets a new key in every iteration: time and memory per operation depend on the number of iterations", "use keys from a fixed range, or clear it", nil)
			} else {
				r.report(g.at, v.Name()+" grows with every iteration: time and memory per operation depend on the number of iterations", "empty it in the loop, or write to a fixed place", nil)
			}
		}
	}
}

// growths lists the state that grows in every iteration of a loop.
func (s *scope) growths(r *reporter, l *loop) []growth {
	var list []growth
	s.walk(l.body, func(n, _ ast.Node) {
		var g growth
		switch n := n.(type) {
		case *ast.AssignStmt:
			g = s.assignedGrowth(r, n, l)
		case *ast.CallExpr:
			g = s.calledGrowth(n, l)
		}
		if len(g.vars) == 0 || s.loopAround(n) != l || !s.unconditional(n, l) && !(g.inserts && s.whenAbsent(n, g.path, l)) || s.paused(l, n) {
			return
		}
		for _, v := range g.vars {
			if v == l.counter || !declaredOutside(v, l) {
				return
			}
		}
		g.at = n
		list = append(list, g)
	})
	return list
}

// whenAbsent reports whether a statement that inserts a new key into a map runs
// only if the map does not have the key: if _, ok := m[k]; !ok { … } in every
// iteration.
func (s *scope) whenAbsent(n ast.Node, path string, l *loop) bool {
	body, ok := s.parents[n].(*ast.BlockStmt)
	if !ok {
		return false
	}
	branch, ok := s.parents[body].(*ast.IfStmt)
	if !ok || branch.Body != body || !s.unconditional(branch, l) {
		return false
	}
	not, ok := branch.Cond.(*ast.UnaryExpr)
	init, looked := branch.Init.(*ast.AssignStmt)
	if !ok || !looked || not.Op != token.NOT || len(init.Lhs) != 2 || len(init.Rhs) != 1 || s.variable(not.X) == nil || s.variable(not.X) != s.variable(init.Lhs[1]) {
		return false
	}
	ix, ok := ast.Unparen(init.Rhs[0]).(*ast.IndexExpr)
	return ok && types.ExprString(ix.X) == path
}

// assignedGrowth is x = append(x, …), s += "…", and m[k] = … with a key that is
// new in every iteration.
func (s *scope) assignedGrowth(r *reporter, a *ast.AssignStmt, l *loop) growth {
	if len(a.Lhs) != 1 || len(a.Rhs) != 1 {
		return growth{}
	}
	left, right := ast.Unparen(a.Lhs[0]), ast.Unparen(a.Rhs[0])
	v := s.root(left)
	switch {
	case a.Tok == token.ADD_ASSIGN && v != nil && isString(s.typeOf(left)):
		return growth{vars: []*types.Var{v}, path: types.ExprString(left), works: true}
	case a.Tok != token.ASSIGN:
		return growth{}
	}
	if call, ok := right.(*ast.CallExpr); ok && v != nil && isBuiltin(r, call, "append") && len(call.Args) > 1 &&
		types.ExprString(call.Args[0]) == types.ExprString(left) {
		return growth{vars: []*types.Var{v}, path: types.ExprString(left), works: slices.ContainsFunc(call.Args[1:], s.works)}
	}
	if sum, ok := right.(*ast.BinaryExpr); ok && v != nil && sum.Op == token.ADD && isString(s.typeOf(left)) &&
		types.ExprString(sum.X) == types.ExprString(left) {
		return growth{vars: []*types.Var{v}, path: types.ExprString(left), works: true}
	}
	ix, ok := left.(*ast.IndexExpr)
	if !ok {
		return growth{}
	}
	if _, ok := under(s.typeOf(ix.X)).(*types.Map); !ok || !s.newKey(ix.Index, l) {
		return growth{}
	}
	if v := s.root(ix.X); v != nil {
		return growth{vars: []*types.Var{v}, path: types.ExprString(ix.X), inserts: true, works: s.works(right)}
	}
	return growth{}
}

// calledGrowth is a call that makes a buffer, a list, a map or a value of a
// type of this package longer.
func (s *scope) calledGrowth(call *ast.CallExpr, l *loop) growth {
	fn := s.callee(call)
	if fn == nil {
		return growth{}
	}
	works := slices.ContainsFunc(call.Args, s.works)
	sel, isMethod := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if isMethod && fn.Signature().Recv() != nil {
		v := s.root(sel.X)
		switch name := fn.FullName(); {
		case v != nil && isSink(v.Type()):
			if strings.HasPrefix(fn.Name(), "Write") && fn.Name() != "WriteTo" || fn.Name() == "ReadFrom" {
				return growth{vars: []*types.Var{v}, works: works || s.inInnerLoop(call, l)}
			}
			return growth{}
		case v != nil && (name == "(*container/list.List).PushBack" || name == "(*container/list.List).PushFront"):
			return growth{vars: []*types.Var{v}, works: works}
		case v != nil && (name == "(*sync.Map).Store" || name == "(*sync.Map).LoadOrStore") && s.newKey(call.Args[0], l):
			return growth{vars: []*types.Var{v}, inserts: true, works: works}
		}
		if vars := s.sinkBehind(sel.X, 3); len(vars) > 0 && fn.Name() != "Reset" {
			return growth{vars: vars, works: true}
		}
		if v != nil && s.sheet.functions[fn.Origin()] != nil {
			return s.ownGrowth(call, fn, v, l)
		}
	}
	for i, a := range call.Args {
		if v := s.root(a); v != nil && isSink(v.Type()) && s.writesTo(fn, i) {
			return growth{vars: []*types.Var{v}, works: true}
		}
	}
	return growth{}
}

// ownGrowth reads a method of this package: does it append to a field of its
// receiver, or insert under a key that is new, in every call?
func (s *scope) ownGrowth(call *ast.CallExpr, fn *types.Func, v *types.Var, l *loop) growth {
	decl := s.sheet.functions[fn.Origin()]
	recv := fn.Origin().Signature().Recv()
	names := scope{sheet: s.sheet}
	for _, st := range decl.Body.List {
		a, ok := st.(*ast.AssignStmt)
		if !ok || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
			continue
		}
		field := ast.Unparen(a.Lhs[0])
		g := growth{vars: []*types.Var{v}, works: true}
		longer := appends(a.Rhs[0], field)
		if ix, ok := field.(*ast.IndexExpr); ok && longer { // x.lists[word] = append(x.lists[word], doc)
			field = ast.Unparen(ix.X)
		} else if ok {
			param := paramIndex(fn.Origin().Signature(), names.variable(ix.Index))
			if param < 0 || param >= len(call.Args) || !s.newKey(call.Args[param], l) {
				continue
			}
			field, g.inserts = ast.Unparen(ix.X), true
		} else if !longer {
			continue
		}
		if names.root(field) == recv && !shrinks(decl.Body, types.ExprString(field), a) && !s.sheet.callsSetter(fn, 4) {
			return g
		}
	}
	return growth{}
}

// appends reports whether e is append(to, …).
func appends(e, to ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok && len(call.Args) > 1 && types.ExprString(call.Fun) == "append" && types.ExprString(call.Args[0]) == types.ExprString(to)
}

// shrinks reports whether a body sets a field again, clears it or reads its
// length, other than in one statement.
func shrinks(body ast.Node, field string, but ast.Node) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if n == but || found {
			return false
		}
		if i, ok := n.(*ast.IfStmt); ok && types.ExprString(i.Cond) == field+" == nil" {
			return false // it is made at the first call
		}
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				found = found || types.ExprString(e) == field
			}
		case *ast.IfStmt, *ast.SwitchStmt:
			ast.Inspect(n, func(m ast.Node) bool {
				if c, ok := m.(*ast.CallExpr); ok && len(c.Args) == 1 && types.ExprString(c.Fun) == "len" && types.ExprString(c.Args[0]) == field {
					found = true
				}
				return !found
			})
		case *ast.CallExpr:
			if f := types.ExprString(n.Fun); (f == "delete" || f == "clear") && types.ExprString(n.Args[0]) == field {
				found = true
			}
		}
		return !found
	})
	return found
}

func paramIndex(sig *types.Signature, v *types.Var) int {
	for i := range sig.Params().Len() {
		if v != nil && sig.Params().At(i) == v {
			return i
		}
	}
	return -1
}

// isSink reports whether t collects the text written to it: bytes.Buffer,
// strings.Builder, or a pointer to one.
func isSink(t types.Type) bool {
	if p, ok := under(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return false
	}
	name := n.Obj().Pkg().Path() + "." + n.Obj().Name()
	return name == "bytes.Buffer" || name == "strings.Builder"
}

// sinkBehind returns the buffer that a writer or an encoder was made from, and
// the variables on the way to it: x of x := json.NewEncoder(&buf), or the call
// itself.
func (s *scope) sinkBehind(e ast.Expr, depth int) []*types.Var {
	if depth == 0 {
		return nil
	}
	var way []*types.Var
	if v := s.local(e); v != nil {
		e, way = s.definition(v), []*types.Var{v}
	}
	call, ok := ast.Unparen(orEmpty(e)).(*ast.CallExpr)
	if !ok {
		return nil
	}
	for i, a := range call.Args {
		if v := s.root(a); v != nil && isSink(v.Type()) {
			if fn := s.callee(call); fn != nil && s.writesTo(fn, i) {
				return append([]*types.Var{v}, way...)
			}
		} else if vars := s.sinkBehind(a, depth-1); len(vars) > 0 {
			return append(vars, way...)
		}
	}
	return nil
}

// writesTo reports whether a function writes to its argument i and keeps its
// content. Such a function takes an io.Writer, or is a function of this package
// that writes to its buffer and neither resets nor reads it.
func (s *scope) writesTo(fn *types.Func, i int) bool {
	sig := fn.Origin().Signature()
	if i >= sig.Params().Len() {
		return false
	}
	param := sig.Params().At(i)
	decl := s.sheet.functions[fn.Origin()]
	if decl == nil {
		t := param.Type()
		return isInterface(t) && types.NewMethodSet(t).Lookup(nil, "Write") != nil && types.NewMethodSet(t).Lookup(nil, "Read") == nil
	}
	names := scope{sheet: s.sheet}
	writes, empties := false, false
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			if sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok && names.root(sel.X) == param {
				writes = writes || strings.HasPrefix(sel.Sel.Name, "Write")
				empties = empties || !strings.HasPrefix(sel.Sel.Name, "Write") && !does(names.callee(c), "keeps")
			} else if inner := names.callee(c); inner != nil && inner.Origin() != fn.Origin() {
				for k, a := range c.Args {
					if names.root(a) == param {
						writes = writes || s.writesTo(inner, k)
					}
				}
			}
		}
		return true
	})
	return writes && !empties
}

// works reports whether an expression calls something worth measuring: more
// than conversions, builtins and making a key.
func (s *scope) works(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || found {
			return !found
		}
		if tv := s.sheet.info.Types[call.Fun]; tv.IsType() || tv.IsBuiltin() {
			return true
		}
		fn := s.callee(call)
		found = !calledFrom(fn, "strconv") && !calledFrom(fn, "fmt") && !calledFrom(fn, "time")
		return !found
	})
	return found
}

func (s *scope) inInnerLoop(n ast.Node, l *loop) bool {
	for p := s.parents[n]; p != nil && p != ast.Node(l.body); p = s.parents[p] {
		switch p.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return true
		}
	}
	return false
}

// newKey reports whether a key is different in every iteration: made from the
// loop's counter, or from a variable that the loop counts up, and not reduced
// to a fixed range.
func (s *scope) newKey(key ast.Expr, l *loop) bool {
	counts := false
	ast.Inspect(key, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := s.sheet.info.Uses[id].(*types.Var); ok && (v == l.counter || s.countedUp(v, l)) {
				counts = true
			}
		}
		return !counts
	})
	if !counts {
		return false
	}
	bounded := false
	ast.Inspect(key, func(n ast.Node) bool {
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
	return !bounded
}

// countedUp reports whether the loop only counts an outer variable up, in every
// iteration.
func (s *scope) countedUp(v *types.Var, l *loop) bool {
	if !declaredOutside(v, l) {
		return false
	}
	writes := s.writes(v, l.body)
	if len(writes) != 1 {
		return false
	}
	inc, ok := writes[0].(*ast.IncDecStmt)
	return ok && s.unconditional(inc, l)
}
