package lint

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/finding"
)

var loopControl = Check{
	Analyzer: analyzer("loopcontrol", runLoopControl),
	Severity: finding.Severe,
}

func runLoopControl(r *reporter, s *scope) {
	for _, l := range s.loops {
		if l.kept() {
			r.checkLoop(s, l)
		}
		if step := s.step(l); step > 1 && s.workOf(l.body, 2) < 2 {
			r.report(l.stmt.(*ast.ForStmt).Post, "the counter grows by more than 1, so that the time of fewer operations is divided by b.N", "write for b.Loop() { … }, or do that many operations in an iteration")
		}
		s.walk(l.body, func(n, _ ast.Node) {
			if b, ok := n.(*ast.BranchStmt); ok && s.loopAround(b) == l && s.continues(b, l) && s.stopsBefore(b) {
				r.report(b, "continue with the timer stopped: the iteration counts, and its work does not", "call b.StartTimer before it")
			}
		})
	}
}

// checkLoop reports what package testing accepts without a word. A second b.Loop
// fails there, except after b.StartTimer.
func (r *reporter) checkLoop(s *scope, l *loop) {
	block := s.parents[l.stmt]
	s.walk(s.body, func(n, parent ast.Node) {
		st, ok := n.(ast.Stmt)
		if !ok || parent != block || st.End() > l.stmt.Pos() {
			return
		}
		switch {
		case s.methodCall(st, "ReportMetric") != nil:
			r.report(st, "b.ReportMetric before b.Loop: the first call of b.Loop removes the metric", "call it after the loop")
		case s.methodCall(st, "StartTimer") != nil && s.hadLoop(st, l):
			r.report(l.stmt, "a second b.Loop after b.StartTimer: it runs no iteration", "give each its own b.Run")
		}
	})
	s.walk(l.body, func(n, _ ast.Node) {
		if sel, ok := n.(*ast.SelectorExpr); ok && s.isN(sel) {
			r.report(sel, "b.N inside b.Loop is 0: a loop up to it does nothing", "remove the inner loop: b.Loop repeats the work")
		}
	})
}

// hadLoop reports whether a b.Loop ends before a start of the timer: one before
// it in its block, or l after it, in a loop around both that nothing after l
// leaves.
func (s *scope) hadLoop(start ast.Stmt, l *loop) bool {
	return slices.ContainsFunc(s.loops, func(other *loop) bool {
		return other.kept() && s.parents[other.stmt] == s.parents[start] && other.stmt.End() < start.Pos()
	}) || isLoop(s.enclosing(start, nil, isLoopOrLiteral)) && !s.anyNode(s.body, func(n ast.Node) bool {
		return n.Pos() > l.stmt.End() && (isA[*ast.ReturnStmt](n) || isA[*ast.BranchStmt](n))
	})
}

// continues reports whether a branch begins the next iteration of a loop.
func (s *scope) continues(b *ast.BranchStmt, l *loop) bool {
	return b.Tok == token.CONTINUE && s.enclosing(b, nil, func(n ast.Node) bool {
		if b.Label == nil {
			return isLoopOrLiteral(n)
		}
		label, ok := s.parents[n].(*ast.LabeledStmt)
		return ok && label.Label.Name == b.Label.Name
	}) == ast.Node(l.stmt)
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
	for c := range ast.Preorder(body) {
		switch c := c.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			n += mostStep
		case *ast.CallExpr:
			if s.sheet.info.Types[c.Fun].IsBuiltin() || s.sheet.info.Types[c.Fun].IsType() {
				continue
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
	}
	return n
}
