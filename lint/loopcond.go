package lint

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"

	inspectpass "golang.org/x/tools/go/analysis/passes/inspect"

	"github.com/tarebench/tare/finding"
)

var loopCondition = Check{
	Title:    "b.Loop that is not the loop condition",
	Default:  true,
	Severity: finding.Warning,
	Wrong: `
func BenchmarkAbs(b *testing.B) {
	for {
		if !b.Loop() {
			break
		}
		math.Abs(-1.5)
	}
}`,
	Right: `
func BenchmarkAbs(b *testing.B) {
	for i := 0; b.Loop(); i++ {
		math.Abs(float64(i))
	}
}`,
	Analyzer: &analysis.Analyzer{
		Name:     "loopcond",
		Doc:      "report b.Loop that is not written as the loop condition\n\nThe compiler keeps the calls in the body alive only where it sees `for b.Loop()`, the method of *testing.B itself as the whole condition. Anything else, and a wrapper type with a Loop method of its own, loses that protection in silence: the work can be deleted. A type that embeds *testing.B keeps it.",
		URL:      documentation + "loopcond",
		Requires: []*analysis.Analyzer{sheetAnalyzer, inspectpass.Analyzer},
		Run:      runLoopCondition,
	},
}

func runLoopCondition(pass *analysis.Pass) (any, error) {
	r := &reporter{pass, pass.ResultOf[sheetAnalyzer].(*sheet)}
	if !usesTesting(pass.Pkg) {
		return nil, nil
	}
	in := pass.ResultOf[inspectpass.Analyzer].(*inspector.Inspector)
	condition := make(map[*ast.CallExpr]bool)
	for n := range in.PreorderSeq((*ast.ForStmt)(nil), (*ast.CallExpr)(nil)) {
		switch n := n.(type) {
		case *ast.ForStmt:
			if call, ok := ast.Unparen(orEmpty(n.Cond)).(*ast.CallExpr); ok {
				condition[call] = true
				if fn := typeutil.StaticCallee(pass.TypesInfo, call); fn != nil && wrapsLoop(fn) {
					r.report(call, "Loop of "+types.TypeString(fn.Signature().Recv().Type(), types.RelativeTo(pass.Pkg))+" hides testing's: the compiler keeps the loop's work alive only for the method of *testing.B; embed *testing.B and do not declare Loop", nil)
				}
			}
		case *ast.CallExpr:
			if fn := typeutil.StaticCallee(pass.TypesInfo, n); fn != nil && fn.FullName() == "(*testing.B).Loop" && !condition[n] {
				r.report(n, "b.Loop is not the whole condition of a for loop: the compiler does not recognise it, and the work in the loop can be deleted; write for b.Loop() { … }", nil)
			}
		}
	}
	return nil, nil
}

// wrapsLoop says whether fn is a Loop method of another type that has a
// *testing.B inside.
func wrapsLoop(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	if fn.Name() != "Loop" || recv == nil || fn.FullName() == "(*testing.B).Loop" {
		return false
	}
	t := recv.Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for i := range st.NumFields() {
		if isTesting(st.Field(i).Type(), "B") {
			return true
		}
	}
	return false
}
