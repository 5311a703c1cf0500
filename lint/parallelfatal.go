package lint

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"

	"github.com/tarebench/tare/finding"
)

var parallelFatal = Check{
	Title:    "b.Fatal or b.Skip in the body of RunParallel",
	Default:  false,
	Severity: finding.Info,
	Wrong: `
func BenchmarkAtoi(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := strconv.Atoi("12"); err != nil {
				b.Fatal(err)
			}
		}
	})
}`,
	Right: `
func BenchmarkAtoi(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := strconv.Atoi("12"); err != nil {
				b.Error(err)
				return
			}
		}
	})
}`,
	Analyzer: analyzer("parallelfatal", "report b.Fatal and b.Skip in the body of RunParallel\n\nFatal, FailNow and Skip must be called from the goroutine that runs the benchmark, says their documentation: in the body of RunParallel they end one goroutine, and the others go on to the end. The benchmark is marked as failed all the same, and the standard library's own benchmarks do it often: off by default.", runParallelFatal),
}

func runParallelFatal(r *reporter, s *scope) {
	for _, body := range s.parallelBodies() {
		s.calls(body.Body, func(c *ast.CallExpr) {
			if s.isMethod(c, "Fatal", "Fatalf", "FailNow", "Skip", "Skipf", "SkipNow") {
				r.report(c, "b."+methodName(c)+" in a goroutine of RunParallel ends that goroutine and not the others; call b.Error and return", s.errorAndReturn(c, body))
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
