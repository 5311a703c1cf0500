package lint

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
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
		if s.waits(l.body) {
			continue
		}
		reported := false
		s.walk(l.body, func(n, _ ast.Node) {
			if reported || s.loopAround(n) != l || s.literal(n, l.body) != nil || !s.starts(n) || !s.unconditional(n, l) {
				return
			}
			waitedFor := s.waits(s.body)
			if waitedFor && s.enclosing(n, l.body, isLoop) != nil {
				return // the benchmark measures many callers at once
			}
			reported = true
			if waitedFor {
				r.report(n, "every iteration starts a goroutine, and the loop does not wait for it: b.N of them run at once", "wait in the loop, or start a fixed number of goroutines that share b.N")
			} else {
				r.report(n, "every iteration starts a goroutine that nothing waits for: its work is measured by accident, and it can outlive the benchmark", "wait for it in the loop")
			}
		})
	}
}

func (s *scope) starts(n ast.Node) bool {
	call, ok := n.(*ast.CallExpr)
	return isA[*ast.GoStmt](n) || ok && isFunction(s.callee(call), "(*sync.WaitGroup).Go")
}

// waits reports whether a statement under root, outside function literals, can
// wait for a goroutine: a channel, Wait and similar methods, a lock, or a
// function that gets a channel or a group.
func (s *scope) waits(root ast.Node) bool {
	return s.anyNode(root, func(n ast.Node) bool {
		if s.literal(n, root) != nil || s.enclosing(n, nil, isA[*ast.GoStmt]) != nil {
			return false
		}
		switch n := n.(type) {
		case *ast.UnaryExpr:
			return n.Op == token.ARROW
		case *ast.SendStmt, *ast.SelectStmt:
			return true
		case *ast.RangeStmt:
			return isChan(s.typeOf(n.X))
		case *ast.CallExpr:
			if s.starts(n) {
				return false
			}
			waiting := func(word string) bool { return strings.HasPrefix(methodName(n), word) }
			if slices.ContainsFunc([]string{"Wait", "Join", "Lock", "Stop", "Shutdown", "Close", "Acquire", "Accept", "Read", "Recv", "Receive", "Do"}, waiting) {
				return true
			}
			tv := s.sheet.info.Types[n.Fun]
			return !tv.IsBuiltin() && !tv.IsType() && slices.ContainsFunc(n.Args, func(a ast.Expr) bool { return isChan(s.typeOf(a)) || isGroup(s.typeOf(a)) })
		}
		return false
	})
}

func isGroup(t types.Type) bool {
	p, ok := t.(*types.Pointer)
	return ok && strings.HasSuffix(p.Elem().String(), "Group")
}
