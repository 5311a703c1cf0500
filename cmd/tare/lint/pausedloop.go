package lint

import (
	"go/ast"
	"go/token"

	"github.com/tarebench/tare/internal/finding"
)

var pausedLoop = Check{
	Analyzer: analyzer("pausedloop", runPausedLoop),
	Severity: finding.Warning,
}

func runPausedLoop(r *reporter, s *scope) {
	for _, l := range s.outermost() {
		if l.kind == loopNext {
			continue
		}
		for _, c := range s.timerCalls(l) {
			if methodName(c) == "StopTimer" && s.unconditional(c, l) && s.fastWork(l) {
				r.report(c, "the timer is paused in every iteration: each pause adds tens of nanoseconds to the time and stops the world twice", "move the setup out of the loop, or measure with tare, which takes the pause off", nil)
				break
			}
		}
	}
}

// fastWork reports whether the timed part of an iteration may take less than a
// few microseconds: no loops, and only calls of small functions, with at most
// one loop of a known small number of steps. The timed part is the code
// directly in the loop that is not paused.
func (s *scope) fastWork(l *loop) bool {
	work, fast := false, true
	for _, st := range l.body.List {
		if s.methodCall(st, "StopTimer", "StartTimer") != nil || s.paused(l, st) {
			continue
		}
		work = true
		s.walk(st, func(n, _ ast.Node) {
			switch n := n.(type) {
			case *ast.ForStmt, *ast.RangeStmt, *ast.GoStmt, *ast.SelectStmt, *ast.FuncLit, *ast.SendStmt:
				fast = false
			case *ast.UnaryExpr:
				fast = fast && n.Op != token.ARROW
			case *ast.CallExpr:
				fast = fast && s.sheet.fastCall(s, n, 3)
			}
		})
	}
	return work && fast
}

// fastCall reports whether a call is of an operation of nanoseconds.
func (sh *sheet) fastCall(s *scope, call *ast.CallExpr, depth int) bool {
	tv := sh.info.Types[call.Fun]
	if tv.IsType() {
		return !isString(tv.Type) // a string conversion copies
	}
	if tv.IsBuiltin() {
		id, ok := ast.Unparen(call.Fun).(*ast.Ident)
		return ok && id.Name != "make" && id.Name != "copy" && id.Name != "clear"
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && s.isB(sel.X) {
		return true
	}
	fn := s.callee(call)
	if fn == nil || depth == 0 {
		return false
	}
	if calledFrom(fn, "sync/atomic") || does(fn, "folded") {
		return true
	}
	decl := sh.functions[fn.Origin()]
	if decl == nil {
		return false
	}
	fast, repeated := true, false
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.RangeStmt:
			// A caller may ask for few steps: allow one such loop.
			fast = fast && !repeated && isNumber(sh.info.TypeOf(n.X))
			repeated = true
		case *ast.ForStmt, *ast.GoStmt, *ast.SelectStmt, *ast.FuncLit, *ast.SendStmt, *ast.DeferStmt:
			fast = false
		case *ast.CallExpr:
			fast = fast && sh.callee(n) != fn && sh.fastCall(s, n, depth-1)
		}
		return fast
	})
	return fast
}
