package lint

import (
	"go/ast"
	"go/constant"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/tarebench/tare/internal/finding"
)

var missingReset = Check{
	Analyzer: analyzer("missingreset", runMissingReset),
	Severity: finding.Warning,
}

// Setup of at least this many rounds or bytes is expensive. The time of a round
// is unknown. At 100 ns, a hundred thousand take 10 ms, one percent of a run of
// a second.
const (
	manyRounds = 100_000
	manyBytes  = 16 << 20
)

func runMissingReset(r *reporter, s *scope) {
	start, what := s.timedStart()
	if start == nil {
		return
	}
	var expensive ast.Node
	quiet := false
	s.walk(s.body, func(n, _ ast.Node) {
		if n.Pos() >= start.Pos() || quiet || s.literal(n, s.body) != nil || !s.before(n, start) {
			return
		}
		if call, ok := n.(*ast.CallExpr); ok {
			if s.isMethod(call, "ResetTimer", "StopTimer") || s.helperResets(call) {
				quiet = true
				return
			}
		}
		if expensive == nil && s.expensive(n) {
			expensive = n
		}
	})
	if quiet || expensive == nil {
		return
	}
	at := start
	if p, ok := s.parents[start].(*ast.LabeledStmt); ok {
		at = p
	}
	var fixes []analysis.SuggestedFix
	if isA[*ast.BlockStmt](s.parents[at]) {
		fixes = []analysis.SuggestedFix{{
			Message:   "Reset the timer before the loop",
			TextEdits: []analysis.TextEdit{{Pos: at.Pos(), End: at.Pos(), NewText: []byte(s.b.Name() + ".ResetTimer()\n")}},
		}}
	}
	r.report(expensive, "this setup is measured with the work", "call b.ResetTimer before the "+what+", or loop with b.Loop", fixes...)
}

// timedStart returns the statement that begins the timed part: the only b.N
// loop or RunParallel of the scope, if it runs once, or nil.
func (s *scope) timedStart() (ast.Stmt, string) {
	var start ast.Stmt
	what := "loop"
	for _, l := range s.loops {
		switch {
		case s.loopAround(l.stmt) != nil: // inside another
		case l.kind == loopLoop || start != nil:
			return nil, ""
		case l.kind == loopN && s.runsOnce(l.stmt):
			start = l.stmt
		case l.kind == loopN:
			return nil, ""
		}
	}
	s.calls(s.body, func(c *ast.CallExpr) {
		if st, ok := s.parents[c].(*ast.ExprStmt); ok && start == nil && s.isMethod(c, "RunParallel") && s.runsOnce(st) {
			start, what = st, "call of RunParallel"
		}
	})
	return start, what
}

// before reports whether n runs before start on the way to it: n is not in a
// branch that excludes start and leaves.
func (s *scope) before(n ast.Node, start ast.Node) bool {
	return s.enclosing(n, nil, func(p ast.Node) bool {
		i, ok := p.(*ast.IfStmt)
		return ok && !within(start, i) && isA[*ast.ReturnStmt](last(i.Body))
	}) == nil
}

// helperResets reports whether a call passes b to a function of this package
// that uses the timer, or to a function whose source is not visible.
func (s *scope) helperResets(call *ast.CallExpr) bool {
	decl := s.sheet.functions[s.callee(call)]
	return decl != nil && slices.ContainsFunc(call.Args, s.isB) && anyNode(decl.Body, func(c *ast.CallExpr) bool {
		return methodName(c) == "ResetTimer" || methodName(c) == "StopTimer"
	})
}

func (s *scope) expensive(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ForStmt, *ast.RangeStmt:
		return s.rounds(n)*max(1, s.inside(n)) >= manyRounds
	case *ast.CallExpr:
		if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "make" && len(n.Args) > 1 {
			if sl, ok := under(s.typeOf(n)).(*types.Slice); ok {
				return s.value(n.Args[1])*sizeOf(sl.Elem()) >= manyBytes
			}
			return false
		}
		fn := s.callee(n)
		if fn == nil {
			return false
		}
		for i, a := range n.Args {
			rounds := int64(manyRounds)
			if s.sheet.makesBytes(fn) {
				rounds = manyBytes
			}
			if s.length(a) >= rounds && s.sheet.growth(fn, i) != unknownGrowth {
				return true
			}
		}
		if i := argumentOf(fn, "sized"); i >= 0 {
			rounds := int64(manyRounds)
			if fn.Name() == "Repeat" {
				rounds = manyBytes
			}
			return s.value(n.Args[i]) >= rounds
		}
		return does(fn, "slow")
	}
	return false
}

// makesBytes reports whether a function of this package makes a []byte or a
// string and calls only builtins: a round is a byte and takes a nanosecond or
// two.
func (sh *sheet) makesBytes(fn *types.Func) bool {
	decl := sh.functions[fn.Origin()]
	results := fn.Signature().Results()
	if decl == nil || results.Len() != 1 {
		return false
	}
	switch t := under(results.At(0).Type()).(type) {
	case *types.Basic:
		if t.Kind() != types.String {
			return false
		}
	case *types.Slice:
		if b, ok := under(t.Elem()).(*types.Basic); !ok || b.Kind() != types.Byte {
			return false
		}
	default:
		return false
	}
	return !anyNode(decl.Body, func(c *ast.CallExpr) bool {
		return !sh.info.Types[c.Fun].IsType() && !sh.info.Types[c.Fun].IsBuiltin()
	})
}

func (s *scope) inside(n ast.Node) int64 {
	most := int64(1)
	s.walk(n, func(m, _ ast.Node) {
		if m == n {
			return
		}
		switch m.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			most = max(most, s.rounds(m)*s.inside(m))
		}
	})
	return most
}

func (s *scope) value(e ast.Expr) int64 {
	if v := s.sheet.info.Types[e].Value; v != nil {
		if i, ok := constant.Int64Val(constant.ToInt(v)); ok {
			return i
		}
	}
	return 0
}

func sizeOf(t types.Type) int64 {
	defer func() { _ = recover() }() // type parameters have no size
	return types.SizesFor("gc", "amd64").Sizeof(t)
}
