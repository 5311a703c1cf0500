package lint

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/tarebench/tare/internal/finding"
)

var loopCondition = Check{
	Analyzer: packageAnalyzer("loopcond", runLoopCondition),
	Severity: finding.Warning,
}

func runLoopCondition(r *reporter) {
	if !usesTesting(r.Pkg) {
		return
	}
	in := inspector.New(r.Files)
	condition := make(map[*ast.CallExpr]bool)
	for n := range in.PreorderSeq((*ast.ForStmt)(nil), (*ast.CallExpr)(nil)) {
		switch n := n.(type) {
		case *ast.ForStmt:
			if call, ok := ast.Unparen(n.Cond).(*ast.CallExpr); ok {
				condition[call] = true
				if fn := typeutil.StaticCallee(r.TypesInfo, call); fn != nil && wrapsLoop(fn) {
					r.report(call, "Loop of "+types.TypeString(fn.Signature().Recv().Type(), types.RelativeTo(r.Pkg))+" hides testing's: the compiler keeps the loop's work alive only for the method of *testing.B", "embed *testing.B and do not declare Loop")
				}
			}
		case *ast.CallExpr:
			if isFunction(typeutil.StaticCallee(r.TypesInfo, n), "(*testing.B).Loop") && !condition[n] {
				r.report(n, "b.Loop is not the whole condition of a for loop: the compiler does not recognize it, and the work in the loop can be deleted", "write for b.Loop() { … }")
			}
		}
	}
}

// wrapsLoop reports whether fn is a Loop method of another type that contains a
// *testing.B.
func wrapsLoop(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	if fn.Name() != "Loop" || recv == nil || isFunction(fn, "(*testing.B).Loop") {
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
