package lint

import (
	"go/ast"
	"go/types"

	"github.com/tarebench/tare/internal/finding"
)

var wrongBytes = Check{
	Analyzer: analyzer("setbytes", runWrongBytes),
	Severity: finding.Warning,
}

func runWrongBytes(r *reporter, s *scope) {
	s.calls(s.body, func(call *ast.CallExpr) {
		if !s.isMethod(call, "SetBytes") || len(call.Args) != 1 {
			return
		}
		arg := call.Args[0]
		perRun := false
		ast.Inspect(arg, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok && s.isCount(e) {
				perRun = true
			}
			if b, ok := n.(*ast.BinaryExpr); ok && b.Op.String() == "/" {
				return false // total / b.N
			}
			return true
		})
		if perRun && !s.isCountOnly(arg) {
			r.report(call, "SetBytes is given the bytes of all iterations and wants those of one", "leave b.N out", nil)
			return
		}
		if !s.empty(r, call) {
			s.untouched(r, call)
		}
	})
}

// isCountOnly accepts SetBytes(int64(b.N)) if the work is one pass over b.N
// bytes. It is wrong only with a loop.
func (s *scope) isCountOnly(e ast.Expr) bool { return s.isCount(e) && len(s.loops) == 0 }

// empty reports SetBytes(len(x)) of a variable without a value so far: var x
// []byte, which the loop fills.
func (s *scope) empty(r *reporter, call *ast.CallExpr) bool {
	length, ok := s.unconvert(call.Args[0]).(*ast.CallExpr)
	if !ok || !isBuiltin(r, length, "len") || s.loopAround(call) != nil {
		return false
	}
	x := s.local(length.Args[0])
	if x == nil || !isBytes(x.Type()) || x.Pos() < s.body.Pos() {
		return false
	}
	ast.Inspect(s.body, func(n ast.Node) bool {
		if spec, declared := n.(*ast.ValueSpec); declared && len(spec.Values) == 0 {
			return true // its names are not uses
		}
		id, used := n.(*ast.Ident)
		if used && s.sheet.info.ObjectOf(id) == x && id.Pos() < call.Pos() && id.Pos() != x.Pos() {
			ok = false
		}
		return ok
	})
	if !ok || !s.declaredEmpty(x) {
		return false
	}
	r.report(call, "SetBytes counts "+x.Name()+", which is empty here", "call it with the length of what an iteration processes", nil)
	return true
}

// declaredEmpty reports whether a variable of the benchmark is declared without
// a value.
func (s *scope) declaredEmpty(x *types.Var) bool {
	found := false
	ast.Inspect(s.body, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 0 {
			for _, id := range spec.Names {
				found = found || s.sheet.info.Defs[id] == x
			}
		}
		return !found
	})
	return found
}

// untouched reports SetBytes(len(x)) if the loop processes another buffer and
// not x.
func (s *scope) untouched(r *reporter, call *ast.CallExpr) {
	length, ok := s.unconvert(call.Args[0]).(*ast.CallExpr)
	if !ok || !isBuiltin(r, length, "len") || len(s.loops) == 0 {
		return
	}
	x := s.local(length.Args[0])
	if x == nil || s.related(x) {
		return
	}
	var other *types.Var
	for _, l := range s.loops {
		if s.loopAround(l.stmt) != nil {
			continue
		}
		s.calls(l.body, func(c *ast.CallExpr) {
			for _, a := range c.Args {
				if v := s.local(a); v != nil && declaredOutside(v, l) && isBytes(v.Type()) {
					other = v
				}
			}
		})
	}
	if other != nil {
		r.report(call, "SetBytes counts "+x.Name()+", which the timed loop does not touch", "give the length of "+other.Name()+", which it processes", nil)
	}
}

// related reports whether x is used outside SetBytes: in the loop, or to make a
// value that is.
func (s *scope) related(x *types.Var) bool {
	root := s
	for root.outer != nil {
		root = root.outer
	}
	found := false
	ast.Inspect(root.body, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			switch methodName(c) {
			case "SetBytes":
				return false
			}
		}
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == 1 && s.variable(a.Lhs[0]) == x {
			for _, e := range a.Rhs {
				ast.Inspect(e, func(m ast.Node) bool {
					// x := y[8:], x := encode(y): lengths may be the same
					if id, ok := m.(*ast.Ident); ok {
						if v, ok := s.sheet.info.Uses[id].(*types.Var); ok && isBytes(v.Type()) {
							found = true
						}
					}
					return !found
				})
			}
			return !found
		}
		if id, ok := n.(*ast.Ident); ok && s.sheet.info.Uses[id] == x {
			found = true
		}
		return !found
	})
	return found
}

// isBytes reports whether t is a string or a slice of bytes.
func isBytes(t types.Type) bool {
	if isString(t) {
		return true
	}
	sl, ok := under(t).(*types.Slice)
	if !ok {
		return false
	}
	b, ok := under(sl.Elem()).(*types.Basic)
	return ok && b.Kind() == types.Byte
}
