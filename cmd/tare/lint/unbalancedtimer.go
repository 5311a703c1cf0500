package lint

import (
	"go/ast"
	"go/token"

	"github.com/tarebench/tare/internal/finding"
)

var unbalancedTimer = Check{
	Analyzer: analyzer("unbalancedtimer", runUnbalancedTimer),
	Severity: finding.Severe,
}

func runUnbalancedTimer(r *reporter, s *scope) {
	s.neverStarted(r)
	for _, l := range s.outermost() {
		calls := s.timerCalls(l)
		if l.kind == loopNext || len(calls) == 0 || s.helperTakesB(l) {
			continue
		}
		for _, c := range calls {
			if s.inLiteral(c, l.body) {
				return // a helper of its own: out of sight
			}
		}
		if methodName(calls[0]) != "StopTimer" {
			continue
		}
		w := timerWalk{s: s, l: l}
		end := w.block(l.body.List, map[timerState]bool{running: true})
		for _, n := range w.continues {
			r.report(n, "continue while the timer is stopped: the next iteration is not measured up to its b.StartTimer", "start the timer first", nil)
		}
		if end[stopped] && !end[running] {
			r.report(calls[len(calls)-1], "the timer is stopped and not started again before the iteration ends: the iterations that follow are not measured", "call b.StartTimer", nil)
		} else if end[stopped] {
			r.report(calls[0], "there is a path from this b.StopTimer to the end of the iteration without b.StartTimer: what follows is not measured", "call b.StartTimer on every path", nil)
		}
	}
}

// neverStarted reports a timer that is stopped before every timed loop, in all
// cases, and started nowhere.
func (s *scope) neverStarted(r *reporter) {
	var stop ast.Stmt
	started := len(s.loops) == 0
	s.walk(s.body, func(n, _ ast.Node) {
		if st, ok := n.(*ast.ExprStmt); ok && stop == nil && s.methodCall(st, "StopTimer") != nil && s.runsOnce(st) && s.parents[st] == ast.Node(s.body) {
			stop = st
		}
	})
	if stop == nil {
		return
	}
	for _, l := range s.loops {
		started = started || l.stmt.Pos() < stop.Pos()
	}
	for _, id := range s.bUses {
		sel, ok := s.parents[id].(*ast.SelectorExpr)
		started = started || !ok || sel.Sel.Name == "StartTimer" || sel.Sel.Name == "Run"
	}
	if !started {
		r.report(stop, "the timer is stopped before the timed loop and started nowhere: no time is measured", "call b.StartTimer before the loop, or b.ResetTimer in place of both", nil)
	}
}

// helperTakesB says whether the loop hands b to something that may deal with
// the timer.
func (s *scope) helperTakesB(l *loop) bool {
	found := false
	for _, id := range s.bUses {
		if _, ok := s.parents[id].(*ast.SelectorExpr); !ok && within(id, l.body) {
			found = true
		}
	}
	return found
}

type timerState int

const (
	running timerState = iota
	stopped
)

// timerWalk follows the timer through the statements of an iteration: the set
// of states it can be in.
type timerWalk struct {
	s         *scope
	l         *loop
	continues []ast.Node
}

func (w *timerWalk) block(list []ast.Stmt, in map[timerState]bool) map[timerState]bool {
	for _, st := range list {
		in = w.stmt(st, in)
		if len(in) == 0 {
			break
		}
	}
	return in
}

func (w *timerWalk) stmt(st ast.Stmt, in map[timerState]bool) map[timerState]bool {
	switch n := st.(type) {
	case *ast.ExprStmt:
		switch {
		case w.s.methodCall(n, "StopTimer") != nil:
			return map[timerState]bool{stopped: true}
		case w.s.methodCall(n, "StartTimer") != nil:
			return map[timerState]bool{running: true}
		case w.s.methodCall(n, "Fatal", "Fatalf", "FailNow", "Skip", "Skipf", "SkipNow") != nil, isPanic(n):
			return nil
		}
	case *ast.BlockStmt:
		return w.block(n.List, in)
	case *ast.LabeledStmt:
		return w.stmt(n.Stmt, in)
	case *ast.IfStmt:
		out := w.block(n.Body.List, in)
		if n.Else != nil {
			return union(out, w.stmt(n.Else, in))
		}
		return union(out, in)
	case *ast.ForStmt:
		return union(in, w.block(n.Body.List, in))
	case *ast.RangeStmt:
		return union(in, w.block(n.Body.List, in))
	case *ast.SwitchStmt:
		return w.clauses(n.Body, in)
	case *ast.TypeSwitchStmt:
		return w.clauses(n.Body, in)
	case *ast.SelectStmt:
		return w.clauses(n.Body, in)
	case *ast.ReturnStmt:
		return nil
	case *ast.BranchStmt:
		if n.Tok == token.CONTINUE && in[stopped] && w.continuesLoop(n) {
			w.continues = append(w.continues, n)
		}
		if n.Tok != token.FALLTHROUGH {
			return nil
		}
	}
	return in
}

func (w *timerWalk) clauses(body *ast.BlockStmt, in map[timerState]bool) map[timerState]bool {
	out, hasDefault := map[timerState]bool{}, false
	for _, c := range body.List {
		switch c := c.(type) {
		case *ast.CaseClause:
			hasDefault = hasDefault || c.List == nil
			out = union(out, w.block(c.Body, in))
		case *ast.CommClause:
			hasDefault = true // a select runs one of its clauses
			out = union(out, w.block(c.Body, in))
		}
	}
	if !hasDefault {
		out = union(out, in)
	}
	return out
}

// continuesLoop says whether continue starts the next iteration of the timed
// loop, not of one inside it.
func (w *timerWalk) continuesLoop(n *ast.BranchStmt) bool {
	if n.Label != nil {
		own, ok := w.s.parents[w.l.stmt].(*ast.LabeledStmt)
		return ok && own.Label.Name == n.Label.Name
	}
	for p := w.s.parents[n]; p != nil; p = w.s.parents[p] {
		switch p.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return p == ast.Node(w.l.stmt)
		}
	}
	return false
}

func union(a, b map[timerState]bool) map[timerState]bool {
	out := make(map[timerState]bool, 2)
	for _, m := range []map[timerState]bool{a, b} {
		for k := range m {
			out[k] = true
		}
	}
	return out
}

func isPanic(n *ast.ExprStmt) bool {
	call, ok := n.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	id, ok := call.Fun.(*ast.Ident)
	return ok && id.Name == "panic"
}
