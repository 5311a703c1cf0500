package lint

import (
	"go/ast"
	"go/token"
	"go/types"
	"go/version"

	"golang.org/x/tools/go/analysis"
)

// goVersion returns the language version of the scope's file, or "" if it is
// not known.
func (r *reporter) goVersion(s *scope) string {
	if v := r.TypesInfo.FileVersions[s.file]; v != "" {
		return v
	}
	return r.Pkg.GoVersion()
}

// toLoop rewrites a b.N loop as a b.Loop loop, whose body the compiler keeps
// alive. It returns nil if that may change the meaning: b.N is used elsewhere,
// there is another loop, or the loop runs more than once.
func (r *reporter) toLoop(s *scope, l *loop) *analysis.SuggestedFix {
	if v := r.goVersion(s); v == "" || version.Compare(v, "go1.24") < 0 {
		return nil
	}
	if l.kind != loopN || len(s.loops) != 1 || len(s.counts) > 0 || !s.runsOnce(l.stmt) {
		return nil
	}
	uses := 0
	for _, id := range s.bUses {
		if sel, ok := s.parents[id].(*ast.SelectorExpr); ok && sel.Sel.Name == "N" {
			uses++
		} else if !ok {
			return nil // b goes elsewhere, and b.N may be read there
		}
	}
	if uses != 1 {
		return nil
	}
	header := "for " + s.b.Name() + ".Loop() "
	counter := ""
	switch n := l.stmt.(type) {
	case *ast.ForStmt:
		if !plainCount(n) || l.counter == nil || len(s.writes(l.counter, l.body)) > 0 {
			return nil
		}
		counter = l.counter.Name()
	case *ast.RangeStmt:
		if l.counter != nil {
			if n.Tok != token.DEFINE {
				return nil
			}
			counter = l.counter.Name()
		}
	}
	if counter != "" && s.mentions(l.body, l.counter) {
		header = "for " + counter + " := 0; " + s.b.Name() + ".Loop(); " + counter + "++ "
	}
	return &analysis.SuggestedFix{
		Message:   "Loop with " + s.b.Name() + ".Loop",
		TextEdits: []analysis.TextEdit{{Pos: l.stmt.Pos(), End: l.body.Lbrace, NewText: []byte(header)}},
	}
}

// plainCount matches for i := 0; i < b.N; i++.
func plainCount(n *ast.ForStmt) bool {
	init, ok := n.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE || len(init.Lhs) != 1 {
		return false
	}
	zero, ok := init.Rhs[0].(*ast.BasicLit)
	if !ok || zero.Value != "0" {
		return false
	}
	cond, ok := n.Cond.(*ast.BinaryExpr)
	if !ok || cond.Op != token.LSS {
		return false
	}
	post, ok := n.Post.(*ast.IncDecStmt)
	return ok && post.Tok == token.INC
}

// runsOnce reports whether a statement of the scope runs at most once per call:
// only blocks and branches are around it.
func (s *scope) runsOnce(stmt ast.Node) bool {
	for n := s.parents[stmt]; n != nil && n != s.body; n = s.parents[n] {
		switch n.(type) {
		case *ast.BlockStmt, *ast.IfStmt, *ast.LabeledStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.CaseClause:
		default:
			return false
		}
	}
	return true
}

// unconditional reports whether n runs in every iteration of l, in the
// goroutine of the loop: only blocks and loops are between the two.
func (s *scope) unconditional(n ast.Node, l *loop) bool {
	for p := s.parents[n]; p != nil && p != ast.Node(l.body); p = s.parents[p] {
		switch p := p.(type) {
		case *ast.IfStmt:
			if !within(n, p.Cond) && (p.Init == nil || !within(n, p.Init)) {
				return false
			}
		case *ast.CaseClause, *ast.CommClause, *ast.FuncLit, *ast.GoStmt, *ast.DeferStmt:
			return false
		}
	}
	return true
}

// calledFrom reports whether the call is of a function of the package path.
func calledFrom(fn *types.Func, path string) bool {
	return fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == path
}
