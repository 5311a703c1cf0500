package lint

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"

	"github.com/tarebench/tare/internal/finding"
)

var outerB = Check{
	Analyzer: analyzer("outerb", runOuterB),
	Severity: finding.Severe,
	Default:  true,
}

func runOuterB(r *reporter, s *scope) {
	if s.lit == nil || s.outer == nil {
		return
	}
	ast.Inspect(s.body, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok && paramB(r.TypesInfo, lit.Type) != nil {
			return false // has a b of its own, and its own visit
		}
		sel, ok := n.(*ast.SelectorExpr)
		if !ok || !s.outer.isB(sel.X) {
			return true
		}
		switch sel.Sel.Name {
		case "N", "Loop", "ResetTimer", "StartTimer", "StopTimer", "SetBytes", "ReportAllocs", "ReportMetric", "RunParallel":
			var fix *analysis.SuggestedFix
			if s.b.Name() != "_" && s.b.Name() != "" && s.b.Name() != s.outer.b.Name() {
				fix = &analysis.SuggestedFix{
					Message:   "Use the sub-benchmark's own",
					TextEdits: []analysis.TextEdit{{Pos: sel.X.Pos(), End: sel.X.End(), NewText: []byte(s.b.Name())}},
				}
			}
			r.report(sel, s.outer.b.Name()+"."+sel.Sel.Name+" belongs to the outer benchmark, which is not the one being measured", "use the *testing.B of this function", fix)
		}
		return true
	})
}
