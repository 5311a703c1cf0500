package lint

import (
	"go/ast"

	"github.com/tarebench/tare/internal/finding"
)

var noLoop = Check{
	Analyzer: analyzer("noloop", runNoLoop),
	Severity: finding.Severe,
}

func runNoLoop(r *reporter, s *scope) {
	if !s.benchmark() && !s.started() || len(s.body.List) == 0 {
		return
	}
	if anyNode(s.body, func(id *ast.Ident) bool {
		if r.TypesInfo.Uses[id] != s.b {
			return false
		}
		sel, ok := s.parents[id].(*ast.SelectorExpr)
		if !ok {
			return true // b goes elsewhere, or is used in a nested benchmark
		}
		switch sel.Sel.Name {
		case "N", "Loop", "Run", "RunParallel", "ReportMetric", "Elapsed":
			return true
		case "Skip", "Skipf", "SkipNow", "Fatal", "Fatalf", "FailNow":
			st := s.parents[s.parents[sel]]
			return isA[*ast.ExprStmt](st) && s.parents[st] == ast.Node(s.body) // always skipped or failed
		}
		return false
	}) {
		return
	}
	if s.lit != nil {
		r.report(s.lit.Type, "this benchmark function uses neither "+s.b.Name()+".N nor "+s.b.Name()+".Loop: its body runs once and its time is divided by an arbitrary number", "put the work in for "+s.b.Name()+".Loop() { … }")
	} else {
		r.report(s.decl, s.name+" uses neither b.N nor b.Loop: its body runs once and its time is divided by an arbitrary number", "put the work in for b.Loop() { … }")
	}
}

// started reports whether the scope is a function literal that is passed to
// b.Run or testing.Benchmark.
func (s *scope) started() bool {
	return s.call != nil && isFunction(s.callee(s.call), "(*testing.B).Run", "testing.Benchmark")
}
