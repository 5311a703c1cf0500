package lint

import "go/ast"

// exclusive reports whether two loops are in different branches of one
// statement, so that no call runs both.
func (s *scope) exclusive(a, b *loop) bool {
	around := make(map[ast.Node]ast.Node) // enclosing statement -> its child on the way to a
	for child, n := ast.Node(a.stmt), s.parents[a.stmt]; n != nil; child, n = n, s.parents[n] {
		around[n] = child
	}
	for child, n := ast.Node(b.stmt), s.parents[b.stmt]; n != nil; child, n = n, s.parents[n] {
		other, ok := around[n]
		if !ok {
			continue
		}
		switch n := n.(type) {
		case *ast.IfStmt:
			return other != child
		case *ast.BlockStmt:
			switch s.parents[n].(type) {
			case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
				return other != child // two clauses
			}
			// if … { loop a; return }; loop b
			return leaves(other) || leaves(child)
		}
		return false
	}
	return false
}

// leaves reports whether a statement is a branch that ends in a return.
func leaves(n ast.Node) bool {
	stmt, ok := n.(*ast.IfStmt)
	if !ok || len(stmt.Body.List) == 0 {
		return false
	}
	_, ok = stmt.Body.List[len(stmt.Body.List)-1].(*ast.ReturnStmt)
	return ok
}
