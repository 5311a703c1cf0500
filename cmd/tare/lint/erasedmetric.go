package lint

import (
	"go/ast"

	"github.com/tarebench/tare/internal/finding"
)

var erasedMetric = Check{
	Analyzer: analyzer("erasedmetric", runErasedMetric),
	Severity: finding.Severe,
}

func runErasedMetric(r *reporter, s *scope) {
	var first *loop
	for _, l := range s.outermost() {
		if l.kind == loopLoop && (first == nil || l.stmt.Pos() < first.stmt.Pos()) {
			first = l
		}
	}
	var resets []ast.Stmt
	s.walk(s.body, func(n, _ ast.Node) {
		if st, ok := n.(*ast.ExprStmt); ok && s.methodCall(st, "ResetTimer") != nil && s.runsOnce(st) {
			resets = append(resets, st)
		}
	})
	s.walk(s.body, func(n, _ ast.Node) {
		switch n := n.(type) {
		case *ast.ExprStmt:
			if s.methodCall(n, "ReportMetric") == nil || !s.runsOnce(n) {
				return
			}
			if first != nil && n.Pos() < first.stmt.Pos() && s.runsOnce(first.stmt) {
				r.report(n, "the first b.Loop erases this metric", "report it after the loop", nil)
				return
			}
			for _, reset := range resets {
				if n.Pos() < reset.Pos() && within(reset, s.parents[n]) {
					r.report(n, "b.ResetTimer, further down, erases this metric", "report it after the loop", nil)
					return
				}
			}
		case *ast.SelectorExpr:
			if first == nil || !s.isN(n) || n.Pos() >= first.stmt.End() || s.deferred(n) {
				return
			}
			if l := s.loopAround(n); l != nil && l.kind != loopLoop || s.inLoopHeader(n) {
				return // twoloops reports this
			}
			r.report(n, "b.N before b.Loop has returned false is not the number of iterations", "read it after the loop", nil)
		}
	})
}

// deferred reports whether n is in a function literal, which may run later.
func (s *scope) deferred(n ast.Node) bool { return s.inLiteral(n, s.body) || s.inDefer(n) }

func (s *scope) inDefer(n ast.Node) bool {
	for p := s.parents[n]; p != nil; p = s.parents[p] {
		if _, ok := p.(*ast.DeferStmt); ok {
			return true
		}
	}
	return false
}

func (s *scope) inLoopHeader(n ast.Node) bool {
	for _, l := range s.loops {
		if l.kind == loopN && within(n, l.stmt) && !within(n, l.body) {
			return true
		}
	}
	return false
}
