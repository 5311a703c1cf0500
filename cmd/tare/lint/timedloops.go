package lint

import (
	"go/ast"
	"go/types"
	"path"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/tarebench/tare/cmd/tare/internal/timedloop"
)

// TimedLoops reports nothing: its result, a timedloop.Set, lists the timed
// loops of a package for programs that look for them in the machine code.
//
// Calls without a result, calls under a constant condition and those that
// //tare:ignore deadresult silences are left out.
var TimedLoops = &analysis.Analyzer{
	Name:       "timedloops",
	Doc:        "list the timed loops of a package",
	Requires:   []*analysis.Analyzer{sheetAnalyzer},
	ResultType: reflect.TypeFor[timedloop.Set](),
	Run: func(pass *analysis.Pass) (any, error) {
		r := &reporter{pass, pass.ResultOf[sheetAnalyzer].(*sheet)}
		set := timedloop.Set{Helpers: make(map[string][]string)}
		for _, s := range r.sheet.scopes {
			for _, l := range s.outermost() {
				set.Loops = append(set.Loops, r.timedLoop(s, l))
			}
			for _, h := range s.helpers() {
				if !slices.Contains(set.Helpers[s.name], h) {
					set.Helpers[s.name] = append(set.Helpers[s.name], h)
				}
			}
		}
		return set, nil
	},
}

// helpers are the names of the functions that the scope hands its b to.
func (s *scope) helpers() []string {
	var list []string
	s.calls(s.body, func(call *ast.CallExpr) {
		if fn := s.callee(call); fn != nil && slices.ContainsFunc(call.Args, s.isB) {
			list = append(list, fn.Name())
		}
	})
	return list
}

func (r *reporter) timedLoop(s *scope, l *loop) timedloop.Loop {
	at := r.Fset.Position(l.stmt.Pos())
	out := timedloop.Loop{
		Package: r.Pkg.Path(), Func: s.name, File: at.Filename, Line: at.Line,
		Last: r.Fset.Position(l.body.Rbrace).Line,
	}
	if len(l.body.List) > 0 {
		out.Body = r.Fset.Position(l.body.List[0].Pos()).Line
	}
	unused := make(map[ast.Expr]bool)
	s.walk(l.body, func(n, _ ast.Node) {
		if stmt, ok := n.(ast.Stmt); ok {
			for _, e := range s.dead(stmt) {
				unused[ast.Unparen(e)] = true
			}
		}
		call, ok := n.(*ast.CallExpr)
		if !ok || s.inLiteral(call, l.body) || s.switchedOff(call, l) || r.ignored(deadResult.Name, call.Pos()) {
			return
		}
		name, pkg, dynamic := s.calledName(call)
		if name == "" {
			return
		}
		p := r.Fset.Position(call.Pos())
		out.Calls = append(out.Calls, timedloop.Call{
			Name: name, Package: pkg, Dynamic: dynamic,
			Line: p.Line, Column: p.Column, Last: r.Fset.Position(call.End()).Line,
			Unused:   unused[call],
			Constant: len(call.Args) > 0 && !slices.ContainsFunc(call.Args, func(a ast.Expr) bool { return !s.constant(a) }),
		})
	})
	return out
}

// calledName names the function, method or function value with a result that a
// call runs, and the last word of its package; "" for other calls. dynamic
// reports whether what it runs is known only while running. Where the imported
// package has not been loaded, the names are those of the source.
func (s *scope) calledName(call *ast.CallExpr) (name, pkg string, dynamic bool) {
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && s.sheet.info.Uses[sel.Sel] == nil {
		if id, ok := sel.X.(*ast.Ident); ok {
			if imported, ok := s.sheet.info.Uses[id].(*types.PkgName); ok {
				return sel.Sel.Name, path.Base(imported.Imported().Path()), false
			}
		}
	}
	obj := typeutil.Callee(s.sheet.info, call)
	if obj == nil {
		return "", "", false
	}
	sig, ok := under(obj.Type()).(*types.Signature)
	if !ok || sig.Results().Len() == 0 {
		return "", "", false
	}
	if obj.Pkg() != nil {
		pkg = path.Base(obj.Pkg().Path())
	}
	return obj.Name(), pkg, s.callee(call) == nil
}

// switchedOff reports whether a call stands under a condition that is constant.
func (s *scope) switchedOff(call ast.Node, l *loop) bool {
	for p := s.parents[call]; p != nil && p != ast.Node(l.body); p = s.parents[p] {
		if i, ok := p.(*ast.IfStmt); ok && s.sheet.info.Types[i.Cond].Value != nil {
			return true
		}
	}
	return false
}
