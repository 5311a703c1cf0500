package lint

import (
	"go/ast"

	"golang.org/x/tools/go/cfg"

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
				return // a separate helper: not visible
			}
		}
		if methodName(calls[0]) != "StopTimer" {
			continue
		}
		if running, stopped := s.timerAtEnd(l); stopped && !running {
			r.report(calls[len(calls)-1], "the timer is stopped and not started again before the iteration ends: the iterations that follow are not measured", "call b.StartTimer", nil)
		} else if stopped {
			r.report(calls[0], "there is a path from this b.StopTimer to the end of the iteration without b.StartTimer: what follows is not measured", "call b.StartTimer on every path", nil)
		}
	}
}

// neverStarted reports a timer that is stopped before every timed loop, in all
// cases, and never started.
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

// helperTakesB reports whether the loop passes b to something that may use the
// timer.
func (s *scope) helperTakesB(l *loop) bool {
	found := false
	for _, id := range s.bUses {
		if _, ok := s.parents[id].(*ast.SelectorExpr); !ok && within(id, l.body) {
			found = true
		}
	}
	return found
}

// timerAtEnd returns the possible states of the timer at the end of an
// iteration that began with a running timer.
func (s *scope) timerAtEnd(l *loop) (running, stopped bool) {
	body := s.body
	if lit := s.literal(l.stmt, s.body); lit != nil {
		body = lit.Body
	}
	type state struct {
		block   *cfg.Block
		stopped bool
	}
	seen := make(map[state]bool)
	var visit func(at state)
	visit = func(at state) {
		if seen[at] {
			return
		}
		seen[at] = true
		for _, n := range at.block.Nodes {
			if st, ok := n.(*ast.ExprStmt); ok {
				if c := s.methodCall(st, "StopTimer", "StartTimer"); c != nil {
					at.stopped = methodName(c) == "StopTimer"
				}
			}
		}
		for _, next := range at.block.Succs {
			if next.Stmt != l.stmt {
				visit(state{next, at.stopped})
				continue
			}
			switch next.Kind {
			case cfg.KindForPost, cfg.KindForLoop, cfg.KindRangeLoop:
				running, stopped = running || !at.stopped, stopped || at.stopped
			}
		}
	}
	for _, b := range cfg.New(body, s.mayReturn).Blocks {
		if b.Stmt == l.stmt && (b.Kind == cfg.KindForBody || b.Kind == cfg.KindRangeBody) {
			visit(state{b, false})
		}
	}
	return running, stopped
}

// mayReturn reports whether a call may come back: not of panic, Fatal or Skip.
func (s *scope) mayReturn(call *ast.CallExpr) bool {
	id, ok := call.Fun.(*ast.Ident)
	return !(ok && id.Name == "panic") && !s.isMethod(call, endsGoroutine...)
}
