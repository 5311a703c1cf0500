package lint

import (
	"go/ast"

	"github.com/tarebench/tare/internal/finding"
)

var twoLoops = Check{
	Analyzer: analyzer("twoloops", runTwoLoops),
	Severity: finding.Severe,
}

func runTwoLoops(r *reporter, s *scope) {
	s.calls(s.body, func(call *ast.CallExpr) {
		if s.isMethod(call, "Run", "RunParallel") && s.loopAround(call) != nil {
			r.report(call, "b."+methodName(call)+" in the timed loop runs b.N iterations of its own in each", "call it outside of the loop", nil)
		}
	})
	var main *loop
	for _, l := range s.outermost() {
		if l.kind != loopLoop {
			continue
		}
		if main == nil {
			main = l
		} else if !s.exclusive(l, main) {
			r.report(l.stmt, "a second b.Loop loop: the first one has used up all iterations, and the benchmark fails", "keep one, or make two sub-benchmarks", nil)
		}
	}
	if main == nil {
		return
	}
	for _, l := range s.loops {
		if l.kind == loopN && !s.exclusive(l, main) {
			r.report(l.stmt, "a b.N loop in a benchmark that loops with b.Loop: b.Loop sets b.N only when it ends, and both loops count into one time", "keep one", nil)
		}
	}
}
