package lint

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"

	"github.com/tarebench/tare/internal/finding"
)

var parallelFatal = Check{
	Analyzer: analyzer("parallelfatal", runParallelFatal),
	Severity: finding.Info,
	Default:  false,
}

func runParallelFatal(r *reporter, s *scope) {
	for _, body := range s.parallelBodies() {
		s.calls(body.Body, func(c *ast.CallExpr) {
			if s.isMethod(c, "Fatal", "Fatalf", "FailNow", "Skip", "Skipf", "SkipNow") {
				r.report(c, "b."+methodName(c)+" in a goroutine of RunParallel ends that goroutine and not the others", "call b.Error and return", s.errorAndReturn(c, body))
			}
		})
	}
}

// errorAndReturn replaces b.Fatal(x) by b.Error(x) and a return.
func (s *scope) errorAndReturn(c *ast.CallExpr, body *ast.FuncLit) *analysis.SuggestedFix {
	name, ok := map[string]string{"Fatal": "Error", "Fatalf": "Errorf", "FailNow": "Fail"}[methodName(c)]
	st, isStmt := s.parents[c].(*ast.ExprStmt)
	if !ok || !isStmt || s.inLiteral(st, body) {
		return nil
	}
	sel := ast.Unparen(c.Fun).(*ast.SelectorExpr).Sel
	return &analysis.SuggestedFix{
		Message: "Call b." + name + " and return",
		TextEdits: []analysis.TextEdit{
			{Pos: sel.Pos(), End: sel.End(), NewText: []byte(name)},
			{Pos: st.End(), End: st.End(), NewText: []byte("\nreturn")},
		},
	}
}
