package session

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/explain"
)

// declaration finds a function with a body in the files of a folder that are
// compiled with some build tags; nil where there is none.
func declaration(dir, symbol string, tags ...string) (path string, set *token.FileSet, fn *ast.FuncDecl) {
	name, _, _ := strings.Cut(explain.Local(symbol), "[")
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return "", nil, nil
	}
	context := build.Default
	context.BuildTags = tags
	for _, path := range files {
		if compiled, err := context.MatchFile(dir, filepath.Base(path)); err != nil || !compiled {
			continue
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			continue
		}
		for _, d := range tree.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && functionName(fn) == name && fn.Body != nil {
				return path, set, fn
			}
		}
	}
	return "", nil, nil
}

// declared is the file in a folder in which a function is declared, and its
// lines.
func declared(dir, symbol string, tags ...string) (path string, first, last int, ok bool) {
	path, set, fn := declaration(dir, symbol, tags...)
	if fn == nil {
		return "", 0, 0, false
	}
	return path, set.Position(fn.Pos()).Line, set.Position(fn.End()).Line, true
}

// copied is what the name of a copy of a function ends with that is not inlined.
const copied = "TareNotInlined"

// callPlaces are the names of the called functions, in a function of a package,
// where it calls one of its own package or of another one, or a method.
func callPlaces(caller *ast.FuncDecl, subject string, samePackage bool) (names []*ast.Ident) {
	local, _, _ := strings.Cut(explain.Local(subject), "[")
	name, method := local[strings.LastIndexByte(local, '.')+1:], strings.Contains(local, ".")
	ast.Inspect(caller.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		called := call.Fun
		if index, ok := called.(*ast.IndexExpr); ok {
			called = index.X
		}
		switch f := called.(type) {
		case *ast.Ident:
			if samePackage && !method && f.Name == name {
				names = append(names, f)
			}
		case *ast.SelectorExpr:
			if (method || !samePackage) && f.Sel.Name == name {
				names = append(names, f.Sel)
			}
		}
		return true
	})
	return names
}

// forbidInlining are the files of two packages in which the caller calls a copy
// of the subject that is marked go:noinline. All other calls stay what they are.
func forbidInlining(callerDir, subjectDir, caller, subject string, tags ...string) (files, bool) {
	callerPath, callerSet, callerFn := declaration(callerDir, caller, tags...)
	path, set, fn := declaration(subjectDir, subject, tags...)
	if callerFn == nil || fn == nil {
		return nil, false
	}
	places := callPlaces(callerFn, subject, callerDir == subjectDir)
	before, err := os.ReadFile(callerPath)
	declared, errDeclared := os.ReadFile(path)
	if len(places) == 0 || err != nil || errDeclared != nil {
		return nil, false
	}
	at := func(p token.Pos) int { return set.Position(p).Offset }
	name := at(fn.Name.End())
	second := slices.Concat([]byte("\n//go:noinline\n"), declared[at(fn.Type.Func):name], []byte(copied), declared[name:at(fn.End())], []byte("\n"))
	var after []byte
	done := 0
	for _, place := range places {
		end := callerSet.Position(place.End()).Offset
		after = append(append(after, before[done:end]...), copied...)
		done = end
	}
	after = append(after, before[done:]...)
	if callerPath == path {
		return files{path: append(after, second...)}, true
	}
	return files{callerPath: after, path: append(declared, second...)}, true
}
