package lint

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/tarebench/tare/internal/finding"
)

var loopGoroutine = Check{
	Analyzer: analyzer("loopgoroutine", runLoopGoroutine),
	Severity: finding.Warning,
}

func runLoopGoroutine(r *reporter, s *scope) {
	if s.named("goroutine", "spawn", "create") {
		return // the benchmark measures their start
	}
	for _, l := range s.loops {
		if s.waits(l.body, l) {
			continue
		}
		reported := false
		s.walk(l.body, func(n, _ ast.Node) {
			if reported || s.loopAround(n) != l || s.inLiteral(n, l.body) || !s.starts(n) || !s.unconditional(n, l) {
				return
			}
			waitedFor := s.waits(s.body, l)
			if waitedFor && s.inInnerLoop(n, l) {
				return // the benchmark measures many callers at once
			}
			reported = true
			if waitedFor {
				r.report(n, "every iteration starts a goroutine, and the loop does not wait for it: b.N of them run at once", "wait in the loop, or start a fixed number of goroutines that share b.N", nil)
			} else {
				r.report(n, "every iteration starts a goroutine that nothing waits for: its work is measured by accident, and it can outlive the benchmark", "wait for it in the loop", nil)
			}
		})
	}
}

func (s *scope) starts(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GoStmt:
		return true
	case *ast.CallExpr:
		fn := s.callee(n)
		return fn != nil && fn.FullName() == "(*sync.WaitGroup).Go"
	}
	return false
}

// waits reports whether a statement under root, outside function literals, can
// wait for a goroutine: a channel, Wait and similar methods, a lock, or a
// function that gets a channel or a group.
func (s *scope) waits(root ast.Node, l *loop) bool {
	found := false
	s.walk(root, func(n, _ ast.Node) {
		if found || s.inLiteral(n, root) || s.inGo(n) {
			return
		}
		switch n := n.(type) {
		case *ast.UnaryExpr:
			found = n.Op == token.ARROW
		case *ast.SendStmt, *ast.SelectStmt:
			found = true
		case *ast.RangeStmt:
			found = isChan(s.typeOf(n.X))
		case *ast.CallExpr:
			if s.starts(n) {
				return
			}
			name := methodName(n)
			for _, word := range []string{"Wait", "Join", "Lock", "Stop", "Shutdown", "Close", "Acquire", "Accept", "Read", "Recv", "Receive", "Do"} {
				found = found || strings.HasPrefix(name, word)
			}
			if tv := s.sheet.info.Types[n.Fun]; tv.IsBuiltin() || tv.IsType() {
				return
			}
			for _, a := range n.Args {
				found = found || isChan(s.typeOf(a)) || isGroup(s.typeOf(a))
			}
		}
	})
	return found
}

func (s *scope) inGo(n ast.Node) bool {
	for p := s.parents[n]; p != nil; p = s.parents[p] {
		if _, ok := p.(*ast.GoStmt); ok {
			return true
		}
	}
	return false
}

func isGroup(t types.Type) bool {
	p, ok := t.(*types.Pointer)
	return ok && strings.HasSuffix(p.Elem().String(), "Group")
}

func (s *scope) inInnerLoop(n ast.Node, l *loop) bool {
	for p := s.parents[n]; p != nil && p != ast.Node(l.body); p = s.parents[p] {
		switch p.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return true
		}
	}
	return false
}
