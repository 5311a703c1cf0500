package lint

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"

	"github.com/tarebench/tare/finding"
)

var outerB = Check{
	Title:    "the outer b inside a sub-benchmark",
	Default:  true,
	Severity: finding.Severe,
	Wrong: `
func BenchmarkHash(b *testing.B) {
	data := make([]byte, 1024)
	b.Run("kind=crc32", func(sub *testing.B) {
		for i := 0; i < b.N; i++ {
			crc32.ChecksumIEEE(data)
		}
	})
}`,
	Right: `
func BenchmarkHash(b *testing.B) {
	data := make([]byte, 1024)
	b.Run("kind=crc32", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			crc32.ChecksumIEEE(data)
		}
	})
}`,
	Analyzer: analyzer("outerb", "report the outer b used to measure inside a sub-benchmark\n\nEvery function given to b.Run has a *testing.B of its own. The outer one has b.N = 1 and no timer that counts: a loop over it runs once.", runOuterB),
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
			r.report(sel, s.outer.b.Name()+"."+sel.Sel.Name+" belongs to the outer benchmark, which is not the one being measured: use the *testing.B of this function", fix)
		}
		return true
	})
}
