package lint

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/tarebench/tare/internal/finding"
)

var loopStep = Check{
	Analyzer: analyzer("loopstep", runLoopStep),
	Severity: finding.Severe,
}

func runLoopStep(r *reporter, s *scope) {
	s.walk(s.body, func(n, _ ast.Node) {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				if s.isN(e) {
					r.report(n, "b.N is set here: package testing divides the time by the number of iterations that it chose", "leave b.N alone; -benchtime=100x fixes the number of iterations", nil)
				}
			}
		case *ast.ForStmt:
			s.checkStep(r, n)
		case *ast.RangeStmt:
			if by := s.fraction(n.X); by != nil && s.oneOperation(n.Body, by, nil) {
				r.report(n, "the loop runs a fraction of b.N times: the time per operation reads too short", "loop b.N times", nil)
			}
		}
	})
}

// checkStep reports a loop up to b.N that counts in steps, or up to a fraction
// of b.N, while its body does one operation.
func (s *scope) checkStep(r *reporter, n *ast.ForStmt) {
	if s.inPowers(n) {
		r.report(n, "the loop multiplies or divides its counter: it runs far fewer than b.N times, and the time is divided by b.N", "count in steps of one", nil)
		return
	}
	cond, ok := n.Cond.(*ast.BinaryExpr)
	if !ok || cond.Op != token.LSS && cond.Op != token.LEQ {
		return
	}
	counter := s.local(cond.X)
	if by := s.fraction(cond.Y); by != nil && s.oneOperation(n.Body, by, counter) {
		r.report(n, "the loop runs a fraction of b.N times: the time per operation reads too short", "loop up to b.N", nil)
		return
	}
	if counter == nil || !s.isCount(cond.Y) {
		return
	}
	step, by := s.step(n, counter)
	if step < 2 || !s.oneOperation(n.Body, by, counter) || s.strides(n, counter) {
		return
	}
	r.report(n, "the loop counts b.N in steps and does one operation in each: fewer operations run than the time is divided by", "count in steps of one, or do as many operations as the step", nil)
}

// inPowers reports whether a loop goes from b.N down, or up to b.N, by a
// factor, and does one operation in each iteration.
func (s *scope) inPowers(n *ast.ForStmt) bool {
	post, ok := n.Post.(*ast.AssignStmt)
	init, hasInit := n.Init.(*ast.AssignStmt)
	cond, hasCond := n.Cond.(*ast.BinaryExpr)
	if !ok || !hasInit || !hasCond || len(init.Lhs) != 1 || len(init.Rhs) != 1 {
		return false
	}
	counter := s.local(post.Lhs[0])
	if counter == nil || s.local(init.Lhs[0]) != counter || s.variable(cond.X) != counter || !s.oneOperation(n.Body, nil, counter) {
		return false
	}
	switch post.Tok {
	case token.QUO_ASSIGN, token.SHR_ASSIGN:
		return s.isCount(init.Rhs[0])
	case token.MUL_ASSIGN, token.SHL_ASSIGN:
		return s.isCount(cond.Y) && (cond.Op == token.LSS || cond.Op == token.LEQ)
	}
	return false
}

// fraction returns the constant by which b.N is divided; nil otherwise.
func (s *scope) fraction(e ast.Expr) ast.Expr {
	bin, ok := s.unconvert(e).(*ast.BinaryExpr)
	if !ok || bin.Op != token.QUO || !s.isCount(bin.X) || s.value(bin.Y) < 2 {
		return nil
	}
	// b.N % n, or another b.N / n: the rest is done elsewhere.
	parts := 0
	s.walk(s.body, func(n, _ ast.Node) {
		if b, ok := n.(*ast.BinaryExpr); ok && (b.Op == token.REM || b.Op == token.QUO) && s.isCount(b.X) {
			parts++
		}
	})
	if parts > 1 {
		return nil
	}
	return bin.Y
}

// step returns the constant by which a loop counts in an iteration, and its
// expression; 0 if it is not known.
func (s *scope) step(n *ast.ForStmt, counter *types.Var) (int64, ast.Expr) {
	added := func(st ast.Node) (int64, ast.Expr) {
		a, ok := st.(*ast.AssignStmt)
		if !ok || len(a.Lhs) != 1 || s.variable(a.Lhs[0]) != counter {
			return 0, nil
		}
		if a.Tok == token.ADD_ASSIGN {
			return s.value(a.Rhs[0]), a.Rhs[0]
		}
		if sum, ok := a.Rhs[0].(*ast.BinaryExpr); ok && a.Tok == token.ASSIGN && sum.Op == token.ADD && s.variable(sum.X) == counter {
			return s.value(sum.Y), sum.Y
		}
		return 0, nil
	}
	total, by := added(n.Post)
	if inc, ok := n.Post.(*ast.IncDecStmt); ok && inc.Tok == token.INC {
		total = 1
	}
	for _, st := range n.Body.List {
		if inc, ok := st.(*ast.IncDecStmt); ok && inc.Tok == token.INC && s.variable(inc.X) == counter {
			total++
		} else if more, e := added(st); more > 0 {
			total, by = total+more, e
		}
	}
	return total, by
}

// oneOperation reports whether a body plainly does one operation: one or two
// statements without branches that are not a batch and are not repeated.
func (s *scope) oneOperation(body *ast.BlockStmt, by ast.Expr, counter *types.Var) bool {
	n := 0
	for _, st := range body.List {
		switch st := st.(type) {
		case *ast.ExprStmt:
			n++
		case *ast.AssignStmt:
			if len(st.Lhs) > 0 && s.variable(st.Lhs[0]) != counter {
				n++
			}
		case *ast.IncDecStmt:
			if s.variable(st.X) != counter {
				n++
			}
		default:
			return false
		}
	}
	if n == 0 || n > 3 || s.batched(body, by) || s.repeats(body, counter) {
		return false
	}
	inHelper := false
	s.calls(body, func(c *ast.CallExpr) {
		if fn := s.callee(c); fn != nil {
			if decl := s.sheet.functions[fn.Origin()]; decl != nil && by != nil && s.doesSteps(decl.Body, by) {
				inHelper = true // it does as many as the step
			}
		}
	})
	return !inHelper
}

// doesSteps reports whether the body of a function may do as many operations as
// a step: it names the step, loops up to its number, or repeats a call.
func (s *scope) doesSteps(body *ast.BlockStmt, by ast.Expr) bool {
	text := types.ExprString(by)
	if _, number := ast.Unparen(by).(*ast.BasicLit); !number {
		return mentionsText(body, text)
	}
	found := s.repeats(body, nil)
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt:
			found = found || n.Cond != nil && mentionsText(n.Cond, text)
		case *ast.RangeStmt:
			found = found || mentionsText(n.X, text)
		}
		return !found
	})
	return found
}

// mentionsText reports whether a name or a number appears under root.
func mentionsText(root ast.Node, text string) bool {
	found := false
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			found = found || n.Name == text
		case *ast.BasicLit:
			found = found || n.Value == text
		}
		return !found
	})
	return found
}

// batched reports whether a body does more than one operation: it loops, or it
// uses the name or the number of the step.
func (s *scope) batched(body *ast.BlockStmt, by ast.Expr) bool {
	name := ""
	if by != nil {
		name = types.ExprString(by)
	}
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			found = true
		case *ast.AssignStmt:
			// i += 4 does not use the number
			return !(n.Tok == token.ADD_ASSIGN && len(n.Rhs) == 1 && n.Rhs[0] == by)
		case *ast.Ident:
			found = found || n.Name == name
		case *ast.BasicLit:
			found = found || n.Value == name
		}
		return !found
	})
	return found
}

// repeats reports whether a body calls one function more than once, or does the
// same statement more than once: the loop is unrolled.
func (s *scope) repeats(body *ast.BlockStmt, counter *types.Var) bool {
	seen, found := make(map[string]bool), false
	s.calls(body, func(c *ast.CallExpr) {
		if tv := s.sheet.info.Types[c.Fun]; !tv.IsType() && !tv.IsBuiltin() && !s.reports(c) {
			name := types.ExprString(c.Fun)
			found = found || seen[name]
			seen[name] = true
		}
	})
	for i, st := range body.List {
		if a, ok := st.(*ast.AssignStmt); ok && i > 0 && (counter == nil || !s.mentions(a, counter)) {
			if prev, ok := body.List[i-1].(*ast.AssignStmt); ok && types.ExprString(a.Lhs[0]) == types.ExprString(prev.Lhs[0]) {
				found = true
			}
		}
	}
	return found
}

// strides reports whether the loop is in a function literal and begins at a
// variable: one goroutine's share of b.N.
func (s *scope) strides(n *ast.ForStmt, counter *types.Var) bool {
	init, ok := n.Init.(*ast.AssignStmt)
	return ok && len(init.Rhs) == 1 && s.sheet.info.Types[init.Rhs[0]].Value == nil && s.inLiteral(n, s.body)
}
