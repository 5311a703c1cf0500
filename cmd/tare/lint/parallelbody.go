package lint

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/tarebench/tare/internal/finding"
)

var parallelBody = Check{
	Analyzer: analyzer("parallelbody", runParallelBody),
	Severity: finding.Severe,
}

func runParallelBody(r *reporter, s *scope) {
	s.calls(s.body, func(call *ast.CallExpr) {
		if !s.isMethod(call, "RunParallel") || len(call.Args) != 1 {
			return
		}
		if s.loopAround(call) != nil {
			r.report(call, "b.RunParallel in the timed loop runs another b.N iterations in each", "call it outside the loop")
		}
		if body, ok := ast.Unparen(call.Args[0]).(*ast.FuncLit); ok {
			s.checkParallel(r, body)
		}
	})
}

func (s *scope) checkParallel(r *reporter, body *ast.FuncLit) {
	wrongLoop := false
	for _, l := range s.loops {
		if within(l.stmt, body) && (l.kind == loopN || l.kind == loopLoop) {
			wrongLoop = true
			r.report(l.stmt, "a "+string(l.kind)+" loop inside RunParallel: every goroutine does all of the iterations", "loop with for pb.Next()")
		}
	}
	if !wrongLoop && !s.usesPB(body) {
		r.report(body.Type, "the body of RunParallel never calls pb.Next: it runs once per goroutine and its time is divided by b.N", "loop with for pb.Next()")
	}
	s.calls(body.Body, func(c *ast.CallExpr) {
		switch {
		case s.isNext(c) && !s.asked(c):
			r.report(c, "pb.Next outside a loop's condition takes an iteration and does no work for it, or does only one", "loop with for pb.Next()")
		case s.isMethod(c, "StartTimer", "StopTimer", "ResetTimer", "Run"):
			r.report(c, "b."+methodName(c)+" in a goroutine of RunParallel acts on all of them", "call it outside")
		}
	})
	s.sharedWrites(r, body)
}

func (s *scope) usesPB(body *ast.FuncLit) bool {
	return anyNode(body.Type.Params, func(id *ast.Ident) bool {
		v, ok := s.sheet.info.Defs[id].(*types.Var)
		return ok && s.mentions(body.Body, v, nil)
	})
}

// sharedWrites reports each outer variable once that the body writes, unless
// the body takes a lock somewhere.
func (s *scope) sharedWrites(r *reporter, body *ast.FuncLit) {
	if s.anyCall(body.Body, func(c *ast.CallExpr) bool {
		return slices.Contains([]string{"Lock", "RLock", "TryLock", "Do"}, methodName(c))
	}) {
		return
	}
	seen := make(map[*types.Var]bool)
	write := func(e ast.Expr) {
		v := s.sharedRoot(e)
		if v == nil || seen[v] || v.Pos() >= body.Pos() && v.Pos() < body.End() {
			return
		}
		seen[v] = true
		r.report(e, v.Name()+" is shared by the goroutines of RunParallel and written without synchronization: a data race, and the goroutines contend for its cache line", "use a variable per goroutine, or sync/atomic")
	}
	for n := range ast.Preorder(body.Body) {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, e := range n.Lhs {
					write(e)
				}
			}
		case *ast.IncDecStmt:
			write(n.X)
		}
	}
}

// sharedRoot returns the variable that an assignment to e writes: x, x.f of a
// struct, m[k] of a map. Elements of slices may be one per goroutine.
func (s *scope) sharedRoot(e ast.Expr) *types.Var {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if e.Name == "_" {
			return nil
		}
		return s.variable(e)
	case *ast.SelectorExpr:
		if s.sheet.info.Selections[e] == nil {
			v, _ := s.sheet.info.Uses[e.Sel].(*types.Var) // a variable of another package
			return v
		}
		return s.sharedRoot(e.X)
	case *ast.IndexExpr:
		if _, ok := under(s.typeOf(e.X)).(*types.Map); ok {
			return s.sharedRoot(e.X)
		}
	}
	return nil
}

// asked reports whether a call of pb.Next controls a loop: it is in the header
// of a loop, or in a condition that leaves one.
func (s *scope) asked(c *ast.CallExpr) bool {
	for p := s.parents[c]; p != nil; p = s.parents[p] {
		switch p := p.(type) {
		case *ast.ForStmt:
			return !within(c, p.Body)
		case *ast.IfStmt:
			if within(c, p.Cond) {
				return leavesLoop(p) && isLoop(s.enclosing(p, nil, isLoopOrLiteral)) || s.firstOfLoop(p, c)
			}
		case *ast.FuncLit:
			return false
		case *ast.AssignStmt:
			return true // ok := pb.Next(): the use of ok is not visible
		}
	}
	return false
}

// firstOfLoop reports whether an if statement does a first iteration in its
// condition and the others in its body: if pb.Next() && it.Last() { for
// pb.Next() && it.Prev() { … } }.
func (s *scope) firstOfLoop(i *ast.IfStmt, next *ast.CallExpr) bool {
	and, ok := ast.Unparen(i.Cond).(*ast.BinaryExpr)
	if !ok || and.Op != token.LAND || ast.Unparen(and.X) != ast.Expr(next) || len(i.Body.List) == 0 {
		return false
	}
	loop, ok := i.Body.List[0].(*ast.ForStmt)
	if !ok || loop.Cond == nil {
		return false
	}
	return s.anyCall(and.Y, func(*ast.CallExpr) bool { return true }) && s.anyCall(loop.Cond, s.isNext)
}

func leavesLoop(i *ast.IfStmt) bool {
	end := last(i.Body)
	branch, ok := end.(*ast.BranchStmt)
	return isA[*ast.ReturnStmt](end) || ok && (branch.Tok == token.BREAK || branch.Tok == token.GOTO)
}
