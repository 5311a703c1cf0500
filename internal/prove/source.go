package prove

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
)

// Source is a timed loop as it is written: for i := 0; i < b.N; i++, for
// range b.N, for b.Loop(), for pb.Next().
type Source struct {
	// Func is the declared function around it.
	Func string
	// File is the path of the file, as the compiler got it.
	File string
	// Line is that of the word for, Last that of the closing brace, Body the
	// first line of the body.
	Line, Body, Last int
	// Calls are the calls in the body that have a name.
	Calls []SourceCall
}

// SourceCall is one call in the source.
type SourceCall struct {
	// Name is the last word of what is called: Sqrt of math.Sqrt.
	Name string
	// Package is the word before it; empty in the package itself.
	Package string
	// Line and Last are where the call begins and ends, Column where in its
	// line.
	Line, Column, Last int
}

// loopsOf finds the timed loops of a function in the files of its folder: its
// own, and when it has none those of the functions it hands a b to.
func loopsOf(folder, name string) ([]Source, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	functions := make(map[string]*ast.FuncDecl)
	typeNames := make(map[string]bool)
	for _, file := range files {
		f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
		if err != nil {
			continue // a file for another world; the compiler has had its say
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Body != nil {
					functions[d.Name.Name] = d
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if t, ok := s.(*ast.TypeSpec); ok {
						typeNames[t.Name.Name] = true
					}
				}
			}
		}
	}
	decl := functions[name]
	if decl == nil {
		return nil, fmt.Errorf("find the source of %s: no such function in %s", name, folder)
	}
	seen := map[string]bool{name: true}
	queue := []*ast.FuncDecl{decl}
	for len(queue) > 0 {
		var list []Source
		var helpers []*ast.FuncDecl
		for _, d := range queue {
			list = append(list, loopsIn(fset, d, typeNames)...)
			for _, h := range helpersOf(d) {
				if f := functions[h]; f != nil && !seen[h] {
					seen[h] = true
					helpers = append(helpers, f)
				}
			}
		}
		if len(list) > 0 {
			return list, nil
		}
		queue = helpers
	}
	return nil, nil
}

// helpersOf lists the functions that a benchmark calls with an argument b.
func helpersOf(d *ast.FuncDecl) []string {
	var list []string
	ast.Inspect(d.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		id, ok := call.Fun.(*ast.Ident)
		if !ok {
			return true
		}
		for _, a := range call.Args {
			if arg, ok := a.(*ast.Ident); ok && arg.Name == "b" {
				list = append(list, id.Name)
			}
		}
		return true
	})
	return list
}

// loopsIn finds the timed loops of a function by how they are written.
func loopsIn(fset *token.FileSet, d *ast.FuncDecl, typeNames map[string]bool) []Source {
	var list []Source
	ast.Inspect(d.Body, func(n ast.Node) bool {
		var body *ast.BlockStmt
		switch n := n.(type) {
		case *ast.ForStmt:
			if !timed(n.Cond) && !timed(n.Init) {
				return true
			}
			body = n.Body
		case *ast.RangeStmt:
			if !timed(n.X) {
				return true
			}
			body = n.Body
		default:
			return true
		}
		at := fset.Position(n.Pos())
		s := Source{Func: d.Name.Name, File: at.Filename, Line: at.Line, Last: fset.Position(body.Rbrace).Line}
		s.Body = fset.Position(body.Lbrace).Line + 1
		s.Calls = callsIn(fset, body, typeNames)
		list = append(list, s)
		return false
	})
	return list
}

// timed says whether a piece of a loop's header mentions b.N, b.Loop() or
// pb.Next().
func timed(n ast.Node) bool {
	found := false
	switch n := n.(type) {
	case nil:
		return false
	case ast.Expr:
		if n == nil {
			return false
		}
	}
	ast.Inspect(n, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if _, ok := sel.X.(*ast.Ident); ok && (sel.Sel.Name == "N" || sel.Sel.Name == "Loop" || sel.Sel.Name == "Next") {
				found = true
			}
		}
		return !found
	})
	return found
}

// builtin names are no calls, or calls of the runtime that have no name in
// the source; a conversion is no call either.
var builtin = map[string]bool{
	"append": true, "cap": true, "clear": true, "close": true, "complex": true, "copy": true, "delete": true,
	"imag": true, "len": true, "make": true, "max": true, "min": true, "new": true, "panic": true, "print": true,
	"println": true, "real": true, "recover": true,
	"bool": true, "byte": true, "complex64": true, "complex128": true, "error": true, "float32": true, "float64": true,
	"int": true, "int8": true, "int16": true, "int32": true, "int64": true, "rune": true, "string": true,
	"uint": true, "uint8": true, "uint16": true, "uint32": true, "uint64": true, "uintptr": true, "any": true,
}

func callsIn(fset *token.FileSet, body *ast.BlockStmt, typeNames map[string]bool) []SourceCall {
	var list []SourceCall
	ast.Inspect(body, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false // its calls are made elsewhere
		}
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		at := fset.Position(call.Pos())
		c := SourceCall{Line: at.Line, Column: at.Column, Last: fset.Position(call.End()).Line}
		fun := call.Fun
		switch f := fun.(type) {
		case *ast.IndexExpr:
			fun = f.X
		case *ast.IndexListExpr:
			fun = f.X
		}
		switch f := fun.(type) {
		case *ast.Ident:
			if builtin[f.Name] || typeNames[f.Name] {
				return true
			}
			c.Name = f.Name
		case *ast.SelectorExpr:
			c.Name = f.Sel.Name
			if x, ok := f.X.(*ast.Ident); ok {
				c.Package = x.Name
			}
		default:
			return true
		}
		list = append(list, c)
		return true
	})
	return list
}
