package lint

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/tarebench/tare/internal/finding"
)

var loopControl = Check{
	Analyzer: analyzer("loopcontrol", runLoopControl),
	Severity: finding.Severe,
}

func runLoopControl(r *reporter, s *scope) {
	for _, l := range s.loops {
		if l.kind == loopLoop && !l.hidden {
			r.checkLoop(s, l)
		}
		if step := s.step(l); step > 1 && s.workOf(l.body, 2) < 2 {
			r.report(l.stmt.(*ast.ForStmt).Post, "the counter grows by more than 1, so that the time of fewer operations is divided by b.N", "write for b.Loop() { … }, or do that many operations in an iteration", nil)
		}
		s.walk(l.body, func(n, _ ast.Node) {
			if b, ok := n.(*ast.BranchStmt); ok && b.Tok == token.CONTINUE && s.loopAround(b) == l && s.target(b) == ast.Node(l.stmt) && s.stopsBefore(b) {
				r.report(b, "continue with the timer stopped: the iteration counts, and its work does not", "call b.StartTimer before it", nil)
			}
		})
	}
}

func (r *reporter) checkLoop(s *scope, l *loop) {
	for p := s.parents[l.stmt]; p != nil; p = s.parents[p] {
		switch p.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			if s.endless(l) {
				r.report(l.stmt, "b.Loop in a loop: it runs once, and its second time fails", "give each its own b.Run", nil)
				p = s.body
			}
		case *ast.FuncLit:
			p = s.body
		}
		if p == ast.Node(s.body) {
			break
		}
	}
	block := s.parents[l.stmt]
	s.walk(s.body, func(n, parent ast.Node) {
		st, ok := n.(ast.Stmt)
		if !ok || parent != block {
			return
		}
		if other := s.loopOf(st); other != nil && other.kind == loopLoop && !other.hidden && st.Pos() > l.stmt.End() {
			r.report(st, "a second b.Loop in one benchmark: it fails", "give each its own b.Run", nil)
		}
		if call := s.methodCall(st, "ReportMetric"); call != nil && st.End() < l.stmt.Pos() {
			r.report(st, "b.ReportMetric before b.Loop: the first call of b.Loop removes the metric", "call it after the loop", nil)
		}
	})
	s.walk(l.body, func(n, _ ast.Node) {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if s.isN(n) {
				r.report(n, "b.N inside b.Loop is 0: a loop up to it does nothing", "remove the inner loop: b.Loop repeats the work", nil)
			}
		case *ast.ReturnStmt:
			if s.literal(n, l.body) == nil && !s.givesUp(n, l) {
				r.report(n, "return out of b.Loop: the benchmark fails, since it ended before b.Loop was false", "let b.Loop end the loop", nil)
			}
		case *ast.BranchStmt:
			if to := s.target(n); (n.Tok == token.BREAK || n.Tok == token.GOTO) && to != nil && s.literal(n, l.body) == nil && (to == ast.Node(l.stmt) || !within(to, l.body)) && !s.givesUp(n, l) {
				r.report(n, n.Tok.String()+" out of b.Loop: the benchmark fails, since it ended before b.Loop was false", "let b.Loop end the loop", nil)
			}
		}
	})
}

// endless reports whether nothing after the loop leaves the loop around it.
func (s *scope) endless(l *loop) bool {
	leaves := false
	s.walk(s.body, func(n, _ ast.Node) {
		switch n.(type) {
		case *ast.ReturnStmt, *ast.BranchStmt:
			leaves = leaves || n.Pos() > l.stmt.End()
		}
	})
	return !leaves
}

// givesUp reports whether a statement leaves the loop because of an error: a
// branch tests for nil, or reports to b before.
func (s *scope) givesUp(n ast.Node, l *loop) bool {
	for child, p := n, s.parents[n]; p != nil && p != ast.Node(l.stmt); child, p = p, s.parents[p] {
		switch p := p.(type) {
		case *ast.IfStmt:
			cond, ok := p.Cond.(*ast.BinaryExpr)
			if ok && (isNil(cond.X) || isNil(cond.Y)) {
				return true
			}
		case *ast.BlockStmt:
			for _, st := range p.List {
				if st.Pos() >= child.Pos() {
					break
				}
				if e, ok := st.(*ast.ExprStmt); ok {
					if call, ok := e.X.(*ast.CallExpr); ok && (s.isMethod(call, "Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow", "Skip", "Skipf", "SkipNow") || isBuiltinPanic(call)) {
						return true
					}
				}
			}
		}
	}
	return false
}

func isNil(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && id.Name == "nil"
}

func isBuiltinPanic(call *ast.CallExpr) bool {
	id, ok := call.Fun.(*ast.Ident)
	return ok && id.Name == "panic"
}

// target is the statement that a branch leaves or continues, or the label of a
// goto. It is nil if unknown.
func (s *scope) target(b *ast.BranchStmt) ast.Node {
	if b.Label != nil {
		for _, id := range []*ast.Ident{b.Label} {
			if id.Obj != nil {
				if label, ok := id.Obj.Decl.(*ast.LabeledStmt); ok {
					if b.Tok == token.GOTO {
						return label
					}
					return label.Stmt
				}
			}
		}
		return nil
	}
	for p := s.parents[b]; p != nil; p = s.parents[p] {
		switch p.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return p
		case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			if b.Tok == token.BREAK {
				return p
			}
		case *ast.FuncLit:
			return nil
		}
	}
	return nil
}

// stopsBefore reports whether the last call of the timer before a statement, in
// a block around it, is StopTimer.
func (s *scope) stopsBefore(n ast.Node) bool {
	for child, p := n, s.parents[n]; p != nil && p != ast.Node(s.body); child, p = p, s.parents[p] {
		block, ok := p.(*ast.BlockStmt)
		if !ok {
			continue
		}
		for i := len(block.List) - 1; i >= 0; i-- {
			if st := block.List[i]; st.End() <= child.Pos() {
				if call := s.methodCall(st, "StartTimer", "StopTimer"); call != nil {
					return methodName(call) == "StopTimer"
				}
			}
		}
		if _, ok := s.parents[block].(*ast.ForStmt); ok {
			return false
		}
	}
	return false
}

// mostStep is the largest step that a loop over single operations has by
// mistake. A larger one is the size of a batch.
const mostStep = 4

// step is the number that a loop up to b.N adds to its counter, as it is
// written there, or 0.
func (s *scope) step(l *loop) int {
	f, ok := l.stmt.(*ast.ForStmt)
	if !ok || l.kind != loopN || l.counter == nil {
		return 0
	}
	post, ok := f.Post.(*ast.AssignStmt)
	if !ok || post.Tok != token.ADD_ASSIGN || s.local(post.Lhs[0]) != l.counter {
		return 0
	}
	if lit, ok := ast.Unparen(post.Rhs[0]).(*ast.BasicLit); ok && len(lit.Value) == 1 && lit.Value[0] <= '0'+mostStep {
		return int(lit.Value[0] - '0')
	}
	return 0
}

// workOf counts the calls of a body, with those of the package's functions that
// it calls to a depth. A loop makes many, and so may a function whose body is
// not known, unless it is of the standard library.
func (s *scope) workOf(body *ast.BlockStmt, depth int) (n int) {
	ast.Inspect(body, func(c ast.Node) bool {
		switch c := c.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			n += mostStep
		case *ast.CallExpr:
			if s.sheet.info.Types[c.Fun].IsBuiltin() || s.sheet.info.Types[c.Fun].IsType() {
				break
			}
			fn := s.callee(c)
			switch decl := s.sheet.functions[fn]; {
			case decl != nil && depth > 0:
				n += max(1, s.workOf(decl.Body, depth-1))
			case fn != nil && fn.Pkg() != nil && !strings.Contains(fn.Pkg().Path(), "."):
				n++
			default:
				n += mostStep
			}
		}
		return true
	})
	return n
}
