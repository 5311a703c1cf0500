package lint

import (
	"go/ast"
	"go/types"
	"path"
	"reflect"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"
)

// TimedLoops reports nothing: its result, a []TimedLoop, lists the timed
// loops of a package for programs that look for them in the machine code.
//
// It omits calls without a result, calls under a constant condition and calls
// that //tare:ignore deadresult silences.
var TimedLoops = &analysis.Analyzer{
	Name:       "timedloops",
	Doc:        "list the timed loops of a package",
	Requires:   []*analysis.Analyzer{sheetAnalyzer, ssaAnalyzer},
	ResultType: reflect.TypeFor[[]TimedLoop](),
	Run: func(pass *analysis.Pass) (any, error) {
		r := &reporter{Pass: pass, sheet: pass.ResultOf[sheetAnalyzer].(*sheet), code: pass.ResultOf[ssaAnalyzer].(*code)}
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
	out := TimedLoop{
		Package: r.Pkg.Path(), Func: s.name, File: at.Filename, Line: at.Line,
		Last: r.Fset.Position(l.body.Rbrace).Line,
	}
	if len(l.body.List) > 0 {
		out.Body = r.Fset.Position(l.body.List[0].Pos()).Line
	}
	unused := make(map[ast.Expr]bool)
	s.walk(l.body, func(n, _ ast.Node) {
		if stmt, ok := n.(ast.Stmt); ok {
			for _, e := range r.dead(s, stmt) {
				unused[e] = true
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
		out.Calls = append(out.Calls, TimedCall{
			Name: name, Package: pkg, Dynamic: dynamic,
			Line: p.Line, Column: p.Column, Last: r.Fset.Position(call.End()).Line,
			Unused:   unused[call],
			Constant: len(call.Args) > 0 && r.constant(s, call),
		})
	})
	return out
}

// calledName names the function, method or function value with a result that a
// call runs, and the last word of its package; "" for other calls. dynamic
// reports whether the called function is known only at run time.
func (s *scope) calledName(call *ast.CallExpr) (name, pkg string, dynamic bool) {
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

// switchedOff reports whether a call is under a condition that is constant.
func (s *scope) switchedOff(call ast.Node, l *loop) bool {
	for p := s.parents[call]; p != nil && p != ast.Node(l.body); p = s.parents[p] {
		if i, ok := p.(*ast.IfStmt); ok && s.sheet.info.Types[i.Cond].Value != nil {
			return true
		}
	}
	return false
}

// TimedLoop is one timed loop: for i := 0; i < b.N; i++, for range b.N, for
// b.Loop(), for pb.Next(). Lines and columns count from 1, columns in bytes.
type TimedLoop struct {
	// Package is the import path as the symbols of a binary contain it.
	Package string
	// Func is the declared function around the loop.
	Func string
	// File is the path of the file, as the compiler got it.
	File string
	// Line is the line of the word for, Last the line of the closing brace, and
	// Body the line of the first statement of the body; 0 if the body is empty.
	// If Body equals Line, no line of the source belongs to the body alone.
	Line, Body, Last int
	// Calls are the calls in the body of functions that are known by name.
	Calls []TimedCall
}

// TimedCall is one call in the body of a timed loop.
type TimedCall struct {
	// Name is the last word of the called function: Sqrt of math.Sqrt.
	Name string
	// Package is the last word of its import path: math, bits.
	Package string
	// Line and Last are the first and the last line of the call. Column is its
	// column in the first line.
	Line, Column, Last int
	// Dynamic reports whether the called function is known only at run time: a
	// function value, a method of an interface.
	Dynamic bool
	// Unused reports whether the result is unused.
	Unused bool
	// Constant reports whether all arguments are constant.
	Constant bool
}
