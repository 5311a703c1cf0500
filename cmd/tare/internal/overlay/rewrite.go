package overlay

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"
)

// renamed lists the methods of testing.B and testing.PB that the added files replace, with the
// expected signatures. The stock methods get another name if the added files call them.
var renamed = map[string]string{
	"B.StartTimer":       "func()",
	"B.StopTimer":        "func()",
	"B.ResetTimer":       "func()",
	"B.Elapsed":          "func() time.Duration",
	"B.run1":             "func() bool",
	"B.launch":           "func()",
	"B.runN":             "func(n int)",
	"B.stopOrScaleBLoop": "func() bool",
	"PB.Next":            "func() bool",
}

const stockPrefix = "tareStock"

// edit replaces source[from:to] by text.
type edit struct {
	from, to int
	text     string
}

// splice applies edits to source. No edit adds a line, so that stack traces of
// the user's benchmarks keep their line numbers.
func splice(source []byte, edits []edit) []byte {
	slices.SortFunc(edits, func(a, b edit) int { return a.from - b.from })
	var out bytes.Buffer
	last := 0
	for _, e := range edits {
		out.Write(source[last:e.from])
		out.WriteString(e.text)
		last = e.to
	}
	out.Write(source[last:])
	return out.Bytes()
}

type parsed struct {
	*ast.File
	fset *token.FileSet
}

func parse(name string, source []byte) (parsed, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, source, parser.SkipObjectResolution)
	if err != nil {
		return parsed{}, fmt.Errorf("%s does not parse: %w", name, err)
	}
	return parsed{file, fset}, nil
}

func (p parsed) edit(n ast.Node, text string) edit {
	return edit{p.fset.Position(n.Pos()).Offset, p.fset.Position(n.End()).Offset, text}
}

// rename gives methods the names stockPrefix+name, for the files of a directory.
// It fails if package testing, which has a shape, lacks what these need, or if a
// method is missing or has another signature.
func (p parsed) rename(methods map[string]string, folder string, has shape) ([]edit, error) {
	want, err := needed(folder)
	if err != nil {
		return nil, err
	}
	if what := want.lacks(has); what != "" {
		return nil, errors.New(what)
	}
	var edits []edit
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		typ, method, _ := strings.Cut(name, ".")
		fn := p.function("*"+typ, method)
		if fn == nil {
			return nil, fmt.Errorf("no method %s", name)
		}
		if got := source(fn.Type); got != methods[name] {
			return nil, fmt.Errorf("method %s is %s, not %s", name, got, methods[name])
		}
		edits = append(edits, p.edit(fn.Name, stockPrefix+method))
	}
	return edits, nil
}

// function finds the method of a type, or the function if of is empty.
func (p parsed) function(of, name string) *ast.FuncDecl {
	for _, d := range p.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == name && receiver(fn) == of {
			return fn
		}
	}
	return nil
}

func rewrite(source, commonSource []byte, version string) ([]byte, error) {
	out, err := rewriteServing(source, commonSource)
	if err != nil {
		return nil, &ShapeError{version, err.Error()}
	}
	return out, nil
}

func rewriteServing(stock, commonStock []byte) ([]byte, error) {
	file, err := parse("benchmark.go", stock)
	if err != nil {
		return nil, err
	}
	common, err := parse("testing.go", commonStock)
	if err != nil {
		return nil, err
	}
	has := shapeOf(file.File, common.File)
	edits, err := file.rename(renamed, "serving", has)
	if err != nil {
		return nil, err
	}
	call := only(file.function("*B", "runN"), func(call *ast.CallExpr) bool { return len(call.Args) == 0 && source(call.Fun) == "runtime.GC" })
	if call == nil {
		return nil, fmt.Errorf("method B.runN does not call runtime.GC exactly once")
	}
	goroutine := only(file.function("*B", "RunParallel"), func(made *ast.CompositeLit) bool { return source(made.Type) == "PB" })
	if goroutine == nil {
		return nil, fmt.Errorf("method B.RunParallel does not make exactly one PB")
	}
	at := func(p token.Pos) int { return file.fset.Position(p).Offset }
	closing, closingPB, first := at(has.structs["B"].Fields.Closing), at(has.structs["PB"].Fields.Closing), at(goroutine.Lbrace)+1
	end := file.fset.Position(file.Decls[len(file.Decls)-1].End()).Offset
	edits = append(edits,
		file.edit(call, "b.tareCollect()"),
		edit{closing, closing, "tare tareState "},
		edit{closingPB, closingPB, "tare *tareTail "},
		edit{first, first, "tare: b.tareParallel(), "},
		// After the last declaration, on its line.
		edit{end, end, fmt.Sprintf("; const tareLoopCommits = %t", commits(file.function("*B", "stopOrScaleBLoop")))},
	)
	return splice(stock, edits), nil
}

// commits reports whether fn ends the loop itself by assigning to b.loop.done.
func commits(fn *ast.FuncDecl) bool {
	for n := range ast.Preorder(fn.Body) {
		if a, ok := n.(*ast.AssignStmt); ok && source(a.Lhs[0]) == "b.loop.done" {
			return true
		}
	}
	return false
}

// only finds the one node of a function that matches. It is nil if there is none, or
// another one.
func only[N interface {
	comparable
	ast.Node
}](fn *ast.FuncDecl, match func(N) bool) (found N) {
	times := 0
	if fn != nil {
		for n := range ast.Preorder(fn.Body) {
			if node, ok := n.(N); ok && match(node) {
				found, times = node, times+1
			}
		}
	}
	if times != 1 {
		found = *new(N)
	}
	return found
}
