package lint

import (
	"go/ast"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/tarebench/tare/internal/finding"
)

var misplacedReset = Check{
	Analyzer: analyzer("resetplace", runMisplacedReset),
	Severity: finding.Severe,
}

func runMisplacedReset(r *reporter, s *scope) {
	if len(s.loops) == 0 {
		return
	}
	s.walk(s.body, func(n, _ ast.Node) {
		stmt, ok := n.(*ast.ExprStmt)
		if !ok || s.methodCall(stmt, "ResetTimer") == nil || s.literal(stmt, s.body) != nil {
			return
		}
		if l := s.loopAround(stmt); l != nil {
			if l.kind != loopNext {
				r.report(stmt, "b.ResetTimer inside the timed loop: only the code after it in the last iteration is measured, and divided by all of b.N", "call it before the loop, or use b.StopTimer and b.StartTimer")
			}
			return
		}
		if s.lastLoop(stmt) {
			var fixes []analysis.SuggestedFix
			if isA[*ast.BlockStmt](s.parents[stmt]) {
				fixes = []analysis.SuggestedFix{{
					Message:   "Remove the call",
					TextEdits: []analysis.TextEdit{{Pos: stmt.Pos(), End: stmt.End()}},
				}}
			}
			r.report(stmt, "b.ResetTimer after the timed loop discards the measured time", "remove it, or call b.StopTimer", fixes...)
		}
	})
}

// lastLoop reports whether every timed loop ends before stmt, in a block that
// contains stmt, and nothing after it uses b to measure more.
func (s *scope) lastLoop(stmt ast.Stmt) bool {
	for _, l := range s.loops {
		if l.stmt.End() > stmt.Pos() {
			return false
		}
	}
	// A loop in a branch that excludes stmt may not have run.
	if !slices.ContainsFunc(s.loops, func(l *loop) bool { return within(stmt, s.parents[l.stmt]) }) {
		return false
	}
	for _, id := range s.bUses {
		if id.Pos() < stmt.End() {
			continue
		}
		sel, ok := s.parents[id].(*ast.SelectorExpr)
		if !ok || sel.Sel.Name == "RunParallel" || sel.Sel.Name == "StartTimer" || sel.Sel.Name == "N" {
			return false
		}
	}
	return s.runsOnce(stmt) && !s.worksAfter(stmt)
}

// worksAfter reports whether loops or calls, other than of b, follow a
// statement in its block. The b.N loop before it was setup, and the following
// code is measured.
func (s *scope) worksAfter(stmt ast.Stmt) bool {
	block, ok := s.parents[stmt].(*ast.BlockStmt)
	if !ok {
		return true
	}
	return s.anyNode(block, func(n ast.Node) bool {
		if n.Pos() <= stmt.Pos() || within(n, stmt) {
			return false
		}
		call, ok := n.(*ast.CallExpr)
		return isLoop(n) || ok && isA[*ast.ExprStmt](s.parents[n]) && !s.reports(call)
	})
}
