package lint

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/tarebench/tare/internal/finding"
)

var loopNoise = Check{
	Analyzer: analyzer("loopnoise", runLoopNoise),
	Severity: finding.Warning,
}

func runLoopNoise(r *reporter, s *scope) {
	for _, l := range s.loops {
		s.calls(l.body, func(call *ast.CallExpr) {
			if s.loopAround(call) != l || !s.unconditional(call, l) || s.paused(l, call) {
				return
			}
			if s.isMethod(call, "Log", "Logf") && (len(l.body.List) > 1 || slices.ContainsFunc(call.Args, s.works)) {
				r.report(call, "b."+methodName(call)+" inside the timed loop: its cost is measured and its text kept for every iteration", "log after the loop")
				return
			}
			fn := s.callee(call)
			if fn == nil || fn.Pkg() == nil {
				return
			}
			if strings.TrimSuffix(r.Pkg.Path(), "_test") == fn.Pkg().Path() {
				return // the package itself is under test
			}
			what, words := s.noiseOf(call, fn)
			if what == "" || s.underTest(call, fn, l, words) {
				return
			}
			switch what {
			case "random":
				if s.feedsLongWork(call, l) {
					return
				}
				r.report(call, "a random number is drawn inside the timed loop: its cost is added to the work", "draw the inputs before the loop")
			case "clock":
				if !s.measures(call) {
					r.report(call, "the clock is read inside the timed loop: 20 to 90 ns are added to the work", "read it before the loop")
				}
			case "sleep":
				if s.measures(call) {
					return
				}
				r.report(call, "the timed loop sleeps: the wait is measured with the work", "stop the timer, or wait outside the loop")
			case "collect":
				if s.collectsAlone(l) {
					return
				}
				r.report(call, fn.Name()+" inside the timed loop stops the program, for longer than most work takes", "remove it, or stop the timer around it")
			case "print":
				r.report(call, fn.Name()+" inside the timed loop: printing costs more than most work", "print after the loop")
			}
		})
	}
}

// noiseOf returns the effect of a call that disturbs a timed loop, "" without
// one, and the words in a benchmark's name that mean that the effect is
// measured.
func (s *scope) noiseOf(call *ast.CallExpr, fn *types.Func) (what string, words []string) {
	if calledFrom(fn, "fmt") && strings.HasPrefix(fn.Name(), "Fprint") && len(call.Args) > 0 {
		if to := types.ExprString(call.Args[0]); to == "os.Stdout" || to == "os.Stderr" {
			return "print", nil
		}
	}
	if calledFrom(fn, "log") && s.quietLog() {
		return "", nil
	}
	for kind, words := range noises {
		if does(fn, kind) {
			return kind, words
		}
	}
	return "", nil
}

// collectsAlone reports whether a loop seems to measure collections: it times
// no other call, or the benchmark reads memory statistics.
func (s *scope) collectsAlone(l *loop) bool {
	others, reads := false, false
	s.calls(s.body, func(c *ast.CallExpr) {
		fn := s.callee(c)
		switch tv := s.sheet.info.Types[c.Fun]; {
		case tv.IsType(), tv.IsBuiltin():
		case calledFrom(fn, "runtime") || calledFrom(fn, "runtime/debug"):
			reads = reads || fn.Name() == "ReadMemStats"
		case s.loopAround(c) == l && !s.paused(l, c) && !s.isMethod(c, "StartTimer", "StopTimer", "Loop"):
			others = true
		}
	})
	return reads || !others && !s.anyCall(l.body, func(c *ast.CallExpr) bool {
		return types.ExprString(c.Fun) == "make" && !s.paused(l, c)
	})
}

func (s *scope) quietLog() bool {
	return anyNode(s.top().body, func(c *ast.CallExpr) bool {
		return calledFrom(s.callee(c), "log") && methodName(c) == "SetOutput"
	})
}

func (s *scope) underTest(call *ast.CallExpr, fn *types.Func, l *loop, words []string) bool {
	if s.named(words...) || s.namedAfter(l, fn.Pkg().Path()) {
		return true
	}
	if fn.Signature().Results().Len() == 0 || calledFrom(fn, "fmt") {
		return len(l.body.List) == 1 && !slices.ContainsFunc(call.Args, s.works) // printing or sleeping alone
	}
	// A result that is unused, or goes to a sink, is computed for its cost.
	switch p := s.parents[call].(type) {
	case *ast.ExprStmt:
		return true
	case *ast.AssignStmt:
		for _, lhs := range p.Lhs {
			if v := s.local(lhs); v != nil && s.mentions(l.body, v, p) {
				return false
			}
		}
		return true
	}
	return false
}

// namedAfter reports whether the name of the benchmark contains the name of a
// function of a package that the loop calls.
func (s *scope) namedAfter(l *loop, path string) bool {
	return s.anyCall(l.body, func(c *ast.CallExpr) bool {
		fn := s.callee(c)
		return calledFrom(fn, path) && s.named(strings.ToLower(fn.Name()))
	})
}

// feedsLongWork reports whether an iteration calls something that takes long,
// or may take long, compared to a random number: functions of this package that
// loop, and functions without visible source, except quick ones.
func (s *scope) feedsLongWork(draw *ast.CallExpr, l *loop) bool {
	return s.anyCall(l.body, func(c *ast.CallExpr) bool {
		tv := s.sheet.info.Types[c.Fun]
		if c == draw || tv.IsType() || tv.IsBuiltin() || s.isNext(c) {
			return false
		}
		fn := s.callee(c)
		if fn != nil && s.sheet.functions[fn.Origin()] != nil {
			return s.sheet.loops(fn, 3)
		}
		return !does(fn, "quick")
	})
}

func (sh *sheet) loops(fn *types.Func, depth int) bool {
	if fn == nil || depth == 0 {
		return false
	}
	decl := sh.functions[fn.Origin()]
	if decl == nil {
		return false
	}
	return anyNode(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt:
			return !halves(n)
		case *ast.RangeStmt:
			return true
		case *ast.CallExpr:
			return sh.loops(typeutil.StaticCallee(sh.info, n), depth-1)
		}
		return false
	})
}

func halves(loop *ast.ForStmt) bool {
	return loop.Post == nil && anyNode(loop.Body, func(b *ast.BinaryExpr) bool {
		by, ok := b.Y.(*ast.BasicLit)
		return ok && (b.Op == token.SHR && by.Value == "1" || b.Op == token.QUO && by.Value == "2")
	})
}

// measures reports whether clock reads belong to the benchmark's own
// measurement: time.Since or Sub with them, or a metric in the end.
func (s *scope) measures(clock *ast.CallExpr) bool {
	return anyNode(s.top().body, func(call *ast.CallExpr) bool {
		if call == clock {
			return false
		}
		switch methodName(call) {
		case "ReportMetric":
			return true
		case "Since", "Sub", "Until":
			return calledFrom(s.callee(call), "time")
		}
		return false
	})
}

func isChan(t types.Type) bool {
	_, ok := under(t).(*types.Chan)
	return ok
}

// works reports whether an expression calls something worth measuring: more
// than conversions, builtins and making a key.
func (s *scope) works(e ast.Expr) bool {
	return s.anyCall(e, func(call *ast.CallExpr) bool {
		tv, fn := s.sheet.info.Types[call.Fun], s.callee(call)
		return !tv.IsType() && !tv.IsBuiltin() && !calledFrom(fn, "strconv") && !calledFrom(fn, "fmt") && !calledFrom(fn, "time")
	})
}
