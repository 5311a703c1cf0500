package lint

import (
	"go/ast"
	"go/token"

	"github.com/tarebench/tare/finding"
)

var inputFromCounter = Check{
	Title:    "the loop counter as the size of the work",
	Default:  true,
	Severity: finding.Severe,
	Wrong: `
func BenchmarkFib(b *testing.B) {
	for n := 0; n < b.N; n++ {
		fib(n)
	}
}

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}`,
	Right: `
func BenchmarkFib(b *testing.B) {
	for n := 0; n < b.N; n++ {
		fib(n % 20)
	}
}

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}`,
	Analyzer: analyzer("bninput", "report the loop counter used as the size of the work\n\nIn iteration n the work is of size n: the mean over b.N iterations depends on b.N, and b.N depends on the machine. Reported where the size is plain to see: a function of the same package that recurses or loops up to the argument, make, strings.Repeat and their kind, and an inner loop that runs up to the counter. An index, a key or a value made from the counter is fine, and so is a counter brought into a fixed range with %.", runInputFromCounter),
}

// sizeArguments are functions whose work is proportional to an argument.
var sizeArguments = map[string]int{
	"strings.Repeat":            1,
	"bytes.Repeat":              1,
	"slices.Repeat":             1,
	"math/rand.Perm":            0,
	"(*math/rand.Rand).Perm":    0,
	"math/rand/v2.Perm":         0,
	"(*math/rand/v2.Rand).Perm": 0,
}

func runInputFromCounter(r *reporter, s *scope) {
	for _, l := range s.loops {
		if l.kind == loopNext || l.counter == nil || len(s.writes(l.counter, l.body)) > 0 {
			continue
		}
		isCounter := func(e ast.Expr) bool { return s.variable(s.unconvert(e)) == l.counter }
		grows := func(e ast.Expr) bool { return isCounter(e) || s.scaled(e, isCounter) }
		const after = "; the time per operation depends on the number of iterations: use a fixed size, or the counter modulo one"
		s.walk(l.body, func(n, _ ast.Node) {
			if s.loopAround(n) != l || s.paused(l, n) {
				return
			}
			switch n := n.(type) {
			case *ast.CallExpr:
				if isBuiltin(r, n, "make") && len(n.Args) > 1 && grows(n.Args[1]) {
					r.report(n.Args[1], "the loop counter is the size of what is made"+after, nil)
					return
				}
				fn := s.callee(n)
				if fn == nil {
					return
				}
				if i, ok := sizeArguments[fn.FullName()]; ok && i < len(n.Args) && grows(n.Args[i]) {
					r.report(n.Args[i], "the loop counter is the size of the work of "+fn.Name()+after, nil)
					return
				}
				for i, a := range n.Args {
					if grows(a) && s.sheet.growth(fn, i) != unknownGrowth {
						r.report(a, "the loop counter is the size of the work of "+fn.Name()+after, nil)
					}
				}
			case *ast.ForStmt:
				if cond, ok := n.Cond.(*ast.BinaryExpr); ok && (cond.Op == token.LSS || cond.Op == token.LEQ) && isCounter(cond.Y) {
					r.report(n, "this loop runs up to the loop counter"+after, nil)
				}
			case *ast.RangeStmt:
				if isCounter(n.X) {
					r.report(n, "this loop runs up to the loop counter"+after, nil)
				}
			}
		})
	}
}
