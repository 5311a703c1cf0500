package lint

import (
	"go/ast"
	"go/types"
	"slices"
)

// runsOnce reports whether a statement of the scope runs at most once per call:
// only blocks and branches are around it.
func (s *scope) runsOnce(stmt ast.Node) bool {
	return s.enclosing(stmt, s.body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.BlockStmt, *ast.IfStmt, *ast.LabeledStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.CaseClause:
			return false
		}
		return true
	}) == nil
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

// isFunction reports whether fn, which may be nil, has one of these full names.
func isFunction(fn *types.Func, names ...string) bool {
	return fn != nil && slices.Contains(names, fn.FullName())
}

func calledFrom(fn *types.Func, path string) bool {
	return fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == path
}
