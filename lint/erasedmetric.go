package lint

import (
	"go/ast"

	"github.com/tarebench/tare/finding"
)

var erasedMetric = Check{
	Title:    "metrics that are erased, or divided by a b.N that is not yet known",
	Default:  true,
	Severity: finding.Severe,
	Wrong: `
func BenchmarkPack(b *testing.B) {
	data := make([]byte, 1024)
	b.ReportMetric(float64(len(data)), "input-bytes")
	for b.Loop() {
		crc32.ChecksumIEEE(data)
	}
}`,
	Right: `
func BenchmarkPack(b *testing.B) {
	data := make([]byte, 1024)
	for b.Loop() {
		crc32.ChecksumIEEE(data)
	}
	b.ReportMetric(float64(len(data)), "input-bytes")
}`,
	Analyzer: analyzer("erasedmetric", "report metrics that do not survive, and b.N read before b.Loop has set it\n\nThe first b.Loop resets the timer, and ResetTimer erases what ReportMetric has reported: report after the loop. b.N counts the iterations of b.Loop only once it has returned false; before and inside the loop it is no count of anything.", runErasedMetric),
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
				r.report(n, "the first b.Loop erases this metric: report it after the loop", nil)
				return
			}
			for _, reset := range resets {
				if n.Pos() < reset.Pos() && within(reset, s.parents[n]) {
					r.report(n, "b.ResetTimer, further down, erases this metric: report it after the loop", nil)
					return
				}
			}
		case *ast.SelectorExpr:
			if first == nil || !s.isN(n) || n.Pos() >= first.stmt.End() || s.deferred(n) {
				return
			}
			if l := s.loopAround(n); l != nil && l.kind != loopLoop || s.inLoopHeader(n) {
				return // twoloops has a word for it
			}
			r.report(n, "b.N before b.Loop has returned false is no count of iterations: read it after the loop", nil)
		}
	})
}

// deferred says whether n stands in a function literal, which may run later.
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
