package lint

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

type sheet struct {
	scopes  []*scope
	ignores []ignored
	// functions are the package's own functions with a body.
	functions map[*types.Func]*ast.FuncDecl
	info      *types.Info
}

// scope is a function, declared or literal, with its own *testing.B or a loop
// of tare's library. The scopes inside it (sub-benchmarks) are not part of it.
type scope struct {
	sheet *sheet
	// b is nil in a function with only a loop of tare's library.
	b *types.Var
	// decl is nil for a literal, lit for a declaration.
	decl *ast.FuncDecl
	lit  *ast.FuncLit
	// call is the call that a literal is an argument of, or nil.
	call *ast.CallExpr
	body *ast.BlockStmt
	// outer is the scope around a literal, or nil at the top.
	outer *scope
	// name is the name of the declaration around it.
	name  string
	loops []*loop
	// parents leads from every node of the body to the one around it.
	parents map[ast.Node]ast.Node
	// counts are local variables whose only value is b.N.
	counts map[*types.Var]bool
	// bUses are the identifiers of b, in source order.
	bUses []*ast.Ident
}

// benchmark reports whether the scope is a function that the testing package
// calls by itself: func BenchmarkXxx(b *testing.B).
func (s *scope) benchmark() bool {
	return s.b != nil && s.decl != nil && s.decl.Recv == nil && isBenchmarkName(s.decl.Name.Name) &&
		s.decl.Type.Params.NumFields() == 1 && s.decl.Type.Results.NumFields() == 0 && s.decl.Type.TypeParams == nil
}

func isBenchmarkName(name string) bool {
	rest, ok := strings.CutPrefix(name, "Benchmark")
	return ok && (rest == "" || rest[0] < 'a' || rest[0] > 'z')
}

var sheetAnalyzer = &analysis.Analyzer{
	Name:       "benchmarks",
	Doc:        "collect the benchmarks of a package and their loops",
	ResultType: reflect.TypeFor[*sheet](),
	Run:        makeSheet,
}

func makeSheet(pass *analysis.Pass) (any, error) {
	sh := &sheet{info: pass.TypesInfo, functions: make(map[*types.Func]*ast.FuncDecl)}
	if !usesTesting(pass.Pkg) {
		return sh, nil
	}
	in := inspector.New(pass.Files)
	open := make(map[ast.Node]*scope)
	for cur := range in.Root().Preorder((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		s := &scope{sheet: sh}
		var typ *ast.FuncType
		switch n := cur.Node().(type) {
		case *ast.FuncDecl:
			if n.Body == nil {
				continue
			}
			if fn, ok := pass.TypesInfo.Defs[n.Name].(*types.Func); ok {
				sh.functions[fn] = n
			}
			s.decl, s.body, typ, s.name = n, n.Body, n.Type, n.Name.Name
		case *ast.FuncLit:
			s.lit, s.body, typ = n, n.Body, n.Type
			s.call, _ = cur.Parent().Node().(*ast.CallExpr)
		}
		if s.b = paramB(pass.TypesInfo, typ); s.b == nil && (s.decl == nil || !hasOwnLoop(pass.TypesInfo, s.body)) {
			continue
		}
		for e := range cur.Enclosing((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
			if o := open[e.Node()]; o != nil && s.outer == nil {
				s.outer, s.name = o, o.name
			} else if d, ok := e.Node().(*ast.FuncDecl); ok && s.name == "" {
				s.name = d.Name.Name
			}
		}
		open[cur.Node()] = s
		sh.scopes = append(sh.scopes, s)
	}
	for _, s := range sh.scopes {
		s.survey()
	}
	for _, f := range pass.Files {
		sh.ignores = append(sh.ignores, ignores(pass.Fset, f)...)
	}
	return sh, nil
}

// usesTesting saves time, because most packages have no benchmarks.
func usesTesting(pkg *types.Package) bool {
	if pkg.Path() == "testing" || pkg.Path() == "testing_test" {
		return false // its benchmarks are wrong on purpose: they test it
	}
	return slices.ContainsFunc(pkg.Imports(), func(p *types.Package) bool {
		return p.Path() == "testing" || p.Path() == "github.com/tarebench/tare"
	})
}

func hasOwnLoop(info *types.Info, body *ast.BlockStmt) bool {
	return anyNode(body, func(loop *ast.ForStmt) bool {
		call, ok := loop.Cond.(*ast.CallExpr)
		return ok && isFunction(typeutil.StaticCallee(info, call), ownNext)
	})
}

func paramB(info *types.Info, typ *ast.FuncType) *types.Var {
	for _, field := range typ.Params.List {
		for _, name := range field.Names {
			if v, ok := info.Defs[name].(*types.Var); ok && isTesting(v.Type(), "B") {
				return v
			}
		}
	}
	return nil
}

func isTesting(t types.Type, name string) bool {
	p, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return false
	}
	n, ok := types.Unalias(p.Elem()).(*types.Named)
	return ok && n.Obj().Name() == name && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "testing"
}

// survey walks the body once: parents, uses of b, aliases of b.N, loops.
func (s *scope) survey() {
	s.parents = make(map[ast.Node]ast.Node)
	s.counts = make(map[*types.Var]bool)
	s.walk(s.body, func(n, parent ast.Node) {
		s.parents[n] = parent
		if id, ok := n.(*ast.Ident); ok && s.sheet.info.Uses[id] == s.b {
			s.bUses = append(s.bUses, id)
		}
	})
	s.walk(s.body, func(n, _ ast.Node) {
		if a, ok := n.(*ast.AssignStmt); ok && a.Tok == token.DEFINE && len(a.Lhs) == len(a.Rhs) {
			for i, rhs := range a.Rhs {
				if v := s.local(a.Lhs[i]); v != nil && s.isN(rhs) && len(s.writes(v, s.body)) == 1 {
					s.counts[v] = true
				}
			}
		}
	})
	s.walk(s.body, func(n, _ ast.Node) {
		if stmt, ok := n.(ast.Stmt); ok {
			if l := s.loopOf(stmt); l != nil {
				s.loops = append(s.loops, l)
			}
		}
	})
	s.loops = slices.DeleteFunc(s.loops, s.preparing(s.loops))
}

// preparing returns a function that recognizes the loops over b.N that make the
// input of a later loop. The timer is reset between the two, or stopped before
// the first and started after it. Such loops are not timed. The later one may
// range over the values that the first has made.
func (s *scope) preparing(all []*loop) func(*loop) bool {
	type event struct {
		name string
		at   token.Pos
	}
	var events []event
	var ranges []*ast.RangeStmt
	s.walk(s.body, func(n, _ ast.Node) {
		if r, ok := n.(*ast.RangeStmt); ok && s.runsOnce(r) {
			ranges = append(ranges, r)
		}
		if st, ok := n.(*ast.ExprStmt); ok {
			if c := s.methodCall(st, "ResetTimer", "StopTimer", "StartTimer"); c != nil && s.runsOnce(st) {
				events = append(events, event{methodName(c), c.Pos()})
			}
		}
	})
	return func(l *loop) bool {
		last := token.NoPos // start of the last timed loop
		for _, m := range all {
			if m.kind != loopLoop && m.stmt.Pos() > l.stmt.End() {
				last = m.stmt.Pos()
			}
		}
		for _, r := range ranges {
			if v := s.variable(r.X); v != nil && r.Pos() > l.stmt.End() && len(s.writes(v, l.body)) > 0 {
				last = max(last, r.Pos())
			}
		}
		stopped, dropped := false, false
		for _, e := range events {
			switch {
			case e.at < l.stmt.Pos():
				stopped = e.name == "StopTimer" || stopped && e.name == "ResetTimer"
			case e.at < last:
				dropped = dropped || e.name == "ResetTimer" || stopped && e.name == "StartTimer"
			}
		}
		return l.kind == loopN && dropped
	}
}

// walk visits the nodes under root in source order, without the scopes nested
// in it.
func (s *scope) walk(root ast.Node, visit func(n, parent ast.Node)) {
	ast.PreorderStack(root, []ast.Node{s.parents[root]}, func(n ast.Node, stack []ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok && lit != s.lit && paramB(s.sheet.info, lit.Type) != nil {
			return false
		}
		visit(n, stack[len(stack)-1])
		return true
	})
}

func (s *scope) calls(root ast.Node, visit func(*ast.CallExpr)) {
	s.walk(root, func(n, _ ast.Node) {
		if c, ok := n.(*ast.CallExpr); ok {
			visit(c)
		}
	})
}

// anyNode reports whether a node of type N under root is of a kind.
func anyNode[N ast.Node](root ast.Node, is func(N) bool) bool {
	for n := range ast.Preorder(root) {
		if n, ok := n.(N); ok && is(n) {
			return true
		}
	}
	return false
}

// anyNode is anyNode without the scopes nested in the scope.
func (s *scope) anyNode(root ast.Node, is func(ast.Node) bool) bool {
	found := false
	s.walk(root, func(n, _ ast.Node) { found = found || is(n) })
	return found
}

func (s *scope) anyCall(root ast.Node, is func(*ast.CallExpr) bool) bool {
	return s.anyNode(root, func(n ast.Node) bool { c, ok := n.(*ast.CallExpr); return ok && is(c) })
}

// enclosing returns the innermost node of a kind between n and root, or nil. With
// root nil it is any around n.
func (s *scope) enclosing(n, root ast.Node, is func(ast.Node) bool) ast.Node {
	for p := s.parents[n]; p != nil && p != root; p = s.parents[p] {
		if is(p) {
			return p
		}
	}
	return nil
}

func isA[T ast.Node](n ast.Node) bool { _, ok := n.(T); return ok }

func isLoop(n ast.Node) bool { return isA[*ast.ForStmt](n) || isA[*ast.RangeStmt](n) }

func isLoopOrLiteral(n ast.Node) bool { return isLoop(n) || isA[*ast.FuncLit](n) }

// last is the last statement of a block, or nil.
func last(block *ast.BlockStmt) ast.Stmt {
	if len(block.List) == 0 {
		return nil
	}
	return block.List[len(block.List)-1]
}

func within(n, outer ast.Node) bool {
	return outer != nil && n.Pos() >= outer.Pos() && n.End() <= outer.End()
}
