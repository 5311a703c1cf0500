package lint

import (
	"go/ast"

	"github.com/tarebench/tare/internal/finding"
)

var loopDefer = Check{
	Analyzer: analyzer("loopdefer", runLoopDefer),
	Severity: finding.Warning,
}

func runLoopDefer(r *reporter, s *scope) {
	for _, l := range s.loops {
		if s.named("defer") && len(l.body.List) == 1 {
			continue // the benchmark measures it
		}
		s.walk(l.body, func(n, _ ast.Node) {
			if d, ok := n.(*ast.DeferStmt); ok && s.loopAround(n) == l && !s.inLiteral(n, l.body) {
				r.report(d, "defer in the timed loop runs when the benchmark returns: b.N deferred calls pile up, and their work is not in the loop", "call it in the loop, or put the iteration into a function of its own", nil)
			}
		})
	}
}
