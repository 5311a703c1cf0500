package explain

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/objcode"
)

// A function that was inlined and folded into a constant leaves no trace in
// machine code, whatever its size: a switch over a constant disappears whole. So
// the source decides which functions run, by their bare names: whatever a
// function that runs mentions may run. This names fewer functions than machine
// code would, and never one that runs.

// sources are the declarations of a program by bare name.
type sources struct {
	bodies map[string][]ast.Node
	// always are names that run without being mentioned in a function.
	always []string
}

// parse reads all files of a program.
func parse(files []string) (sources, error) {
	s := sources{bodies: make(map[string][]ast.Node), always: []string{"init", "TestMain", "_"}}
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return s, err
		}
		for _, decl := range tree.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				s.bodies[decl.Name.Name] = append(s.bodies[decl.Name.Name], decl)
			case *ast.GenDecl:
				if decl.Tok == token.VAR {
					s.bodies["_"] = append(s.bodies["_"], decl)
				}
			}
		}
		for _, group := range tree.Comments {
			for _, comment := range group.List {
				if strings.HasPrefix(comment.Text, "//export ") || strings.HasPrefix(comment.Text, "//go:linkname ") {
					for word := range strings.FieldsSeq(comment.Text) {
						s.always = append(s.always, objcode.Bare(word))
					}
				}
			}
		}
	}
	return s, nil
}

// called is the closure of names under being mentioned.
func (s sources) called(names []string) map[string]bool {
	all := make(map[string]bool)
	for next := slices.Concat(s.always, names); len(next) > 0; {
		name := next[len(next)-1]
		next = next[:len(next)-1]
		if all[name] {
			continue
		}
		all[name] = true
		for _, body := range s.bodies[name] {
			ast.Inspect(body, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && !all[id.Name] {
					next = append(next, id.Name)
				}
				return true
			})
		}
	}
	return all
}

// running returns a function that reports whether a function may run in the
// measured benchmarks of a variant, given by package. It is nil if not all code is
// known.
func (c *explainer) running(measured map[string][]string, v int) (may func(symbol string) bool) {
	var files, symbols []string
	for pkg, benchmarks := range measured {
		one := c.Comparison(pkg, v)
		if one == nil {
			return nil
		}
		more := one.Running(benchmarks)
		if len(more) == 0 {
			return nil
		}
		symbols = append(symbols, more...)
		files = append(files, c.Variant(v, pkg).Sources()...)
	}
	slices.Sort(files)
	return mayRun(slices.Compact(files), symbols)
}

// mayRun does the same for the files of a program and the functions in its
// machine code that run. A name that no file declares may run. The function is nil
// if a file cannot be read, or no benchmark is in one.
func mayRun(files, symbols []string) func(symbol string) bool {
	s, err := parse(files)
	if err != nil {
		return nil
	}
	var names []string
	benchmarks := false
	for _, symbol := range symbols {
		name := objcode.Bare(symbol)
		names = append(names, name)
		benchmarks = benchmarks || strings.HasPrefix(name, "Benchmark") && s.bodies[name] != nil
	}
	if !benchmarks {
		return nil
	}
	called := s.called(names)
	return func(symbol string) bool {
		name := objcode.Bare(symbol)
		return called[name] || s.bodies[name] == nil
	}
}
