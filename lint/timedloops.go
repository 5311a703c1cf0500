package lint

import (
	"go/ast"
	"path"
	"reflect"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/tarebench/tare/internal/prove"
)

// TimedLoop is a timed loop for a prover, with what the types know about it.
type TimedLoop struct {
	// Package is the import path as the binary's symbols have it.
	Package string
	// Benchmark is the name of the declared function around the loop.
	Benchmark string
	Source    prove.Source
	// Unused says of each call of the source whether its result goes nowhere.
	Unused []bool
	// Constant says of each call whether all of its arguments are constant.
	Constant []bool
}

// TimedLoops lists the b.N, b.Loop and pb.Next loops of loaded packages. Calls
// without a result, of functions that are not known before running, and those
// that //tare:ignore deadresult silences are left out.
func TimedLoops(pkgs []*packages.Package) ([]TimedLoop, error) {
	graph, err := checker.Analyze([]*analysis.Analyzer{loopLister}, pkgs, nil)
	if err != nil {
		return nil, err
	}
	var list []TimedLoop
	for _, act := range graph.Roots {
		if act.Err != nil {
			return nil, act.Err
		}
		list = append(list, act.Result.([]TimedLoop)...)
	}
	return list, nil
}

var loopLister = &analysis.Analyzer{
	Name:       "timedloops",
	Doc:        "list the timed loops of a package",
	Requires:   []*analysis.Analyzer{sheetAnalyzer},
	ResultType: reflect.TypeFor[[]TimedLoop](),
	Run: func(pass *analysis.Pass) (any, error) {
		r := &reporter{pass, pass.ResultOf[sheetAnalyzer].(*sheet)}
		var list []TimedLoop
		for _, s := range r.sheet.scopes {
			for _, l := range s.outermost() {
				list = append(list, r.timedLoop(s, l))
			}
		}
		return list, nil
	},
}

func (r *reporter) timedLoop(s *scope, l *loop) TimedLoop {
	at := r.Fset.Position(l.stmt.Pos())
	out := TimedLoop{Package: r.Pkg.Path(), Benchmark: s.name}
	out.Source = prove.Source{
		Func: s.name, File: at.Filename, Line: at.Line,
		Body: r.Fset.Position(l.body.Lbrace).Line + 1, Last: r.Fset.Position(l.body.Rbrace).Line,
	}
	unused := make(map[ast.Expr]bool)
	s.walk(l.body, func(n, _ ast.Node) {
		if stmt, ok := n.(ast.Stmt); ok {
			for _, e := range s.dead(stmt) {
				unused[ast.Unparen(e)] = true
			}
		}
		call, ok := n.(*ast.CallExpr)
		if !ok || s.inLiteral(call, l.body) || s.switchedOff(call, l) || r.ignored("deadresult", call.Pos()) {
			return
		}
		fn := s.callee(call)
		if fn == nil || fn.Signature().Results().Len() == 0 {
			return
		}
		c := prove.SourceCall{Name: fn.Name()}
		if fn.Pkg() != nil {
			c.Package = path.Base(fn.Pkg().Path())
		}
		p := r.Fset.Position(call.Pos())
		c.Line, c.Column, c.Last = p.Line, p.Column, r.Fset.Position(call.End()).Line
		out.Source.Calls = append(out.Source.Calls, c)
		out.Unused = append(out.Unused, unused[call])
		constant := len(call.Args) > 0
		for _, a := range call.Args {
			constant = constant && s.constant(a)
		}
		out.Constant = append(out.Constant, constant)
	})
	return out
}

// switchedOff says whether a call stands under a condition that is constant.
func (s *scope) switchedOff(call ast.Node, l *loop) bool {
	for p := s.parents[call]; p != nil && p != ast.Node(l.body); p = s.parents[p] {
		if i, ok := p.(*ast.IfStmt); ok && s.sheet.info.Types[i.Cond].Value != nil {
			return true
		}
	}
	return false
}
