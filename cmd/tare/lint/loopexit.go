package lint

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/tarebench/tare/internal/finding"
)

var loopExit = Check{
	Analyzer: analyzer("loopexit", runLoopExit),
	Severity: finding.Severe,
}

func runLoopExit(r *reporter, s *scope) {
	for _, l := range s.loops {
		if s.loopAround(l.stmt) != nil {
			continue // its own exits stay inside the outer loop
		}
		if l.kind == loopN && s.inLiteral(l.stmt, s.body) {
			continue // a goroutine's share of the work: others may do the rest
		}
		s.walk(l.body, func(n, parent ast.Node) {
			var what string
			switch n := n.(type) {
			case *ast.ReturnStmt:
				if s.inLiteral(n, l.body) {
					return
				}
				what = "return"
			case *ast.BranchStmt:
				if !s.exits(n, l) {
					return
				}
				what = n.Tok.String()
			default:
				return
			}
			if s.gaveUp(n) || s.counted(n, l) {
				return
			}
			switch l.kind {
			case loopN:
				r.report(n, what+" leaves the b.N loop early: the time of the iterations that ran is divided by all of b.N", "finish the loop, or call b.Fatal", nil)
			case loopLoop:
				r.report(n, what+" leaves the b.Loop loop early, and the benchmark fails", "let b.Loop return false, or call b.Fatal", nil)
			case loopNext:
				r.report(n, what+" leaves the pb.Next loop early, and the benchmark fails", "let pb.Next return false, or call b.Error before", nil)
			}
		})
	}
}

// counted reports whether an exit is under a condition on b.N: the loop counts
// by itself, in strides, and leaves when it is done.
func (s *scope) counted(n ast.Node, l *loop) bool {
	found := false
	for p := s.parents[n]; p != nil && p != ast.Node(l.body); p = s.parents[p] {
		if i, ok := p.(*ast.IfStmt); ok {
			ast.Inspect(i.Cond, func(n ast.Node) bool {
				if e, ok := n.(ast.Expr); ok && s.isCount(e) {
					found = true
				}
				return !found
			})
		}
	}
	return found
}

// inLiteral reports whether a function literal is between n and root.
func (s *scope) inLiteral(n, root ast.Node) bool {
	for p := s.parents[n]; p != nil && p != root; p = s.parents[p] {
		if _, ok := p.(*ast.FuncLit); ok {
			return true
		}
	}
	return false
}

// exits reports whether a branch statement jumps out of the loop.
func (s *scope) exits(n *ast.BranchStmt, l *loop) bool {
	if s.inLiteral(n, l.body) || n.Tok == token.FALLTHROUGH {
		return false
	}
	if n.Label != nil {
		label := r0(s.sheet.info.Uses[n.Label])
		// The label comes before its statement. A label inside the body is not an
		// exit, and neither is continue with the loop's label.
		if label > l.body.Lbrace && label < l.body.Rbrace {
			return false
		}
		own, ok := s.parents[l.stmt].(*ast.LabeledStmt)
		return !(n.Tok == token.CONTINUE && ok && own.Label.Pos() == label)
	}
	if n.Tok == token.CONTINUE {
		return false
	}
	for p := s.parents[n]; p != nil; p = s.parents[p] {
		switch p.(type) {
		case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			return false
		case *ast.ForStmt, *ast.RangeStmt:
			return p == ast.Node(l.stmt)
		}
	}
	return false
}

func r0(o interface{ Pos() token.Pos }) token.Pos {
	if o == nil {
		return token.NoPos
	}
	return o.Pos()
}

// gaveUp reports whether a statement before n, in its block, ends the benchmark
// with a message, passes b to a helper that may, or sends an error to another
// goroutine.
func (s *scope) gaveUp(n ast.Node) bool {
	var list []ast.Stmt
	switch p := s.parents[n].(type) {
	case *ast.BlockStmt:
		list = p.List
	case *ast.CaseClause:
		list = p.Body
	case *ast.CommClause:
		list = p.Body
	}
	found := false
	for _, st := range list {
		if st.Pos() >= n.Pos() {
			break
		}
		if send, ok := st.(*ast.SendStmt); ok && types.Identical(s.typeOf(send.Value), types.Universe.Lookup("error").Type()) {
			found = true
		}
		s.calls(st, func(c *ast.CallExpr) {
			if s.isMethod(c, "Fatal", "Fatalf", "FailNow", "Fail", "Error", "Errorf", "Skip", "Skipf", "SkipNow") {
				found = true
			}
			for _, a := range c.Args {
				if s.isB(a) {
					found = true
				}
			}
		})
	}
	return found
}
