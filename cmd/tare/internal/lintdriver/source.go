package lintdriver

import (
	"debug/dwarf"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/tarebench/tare/cmd/tare/lint"
)

// source is the part of a package that is in a binary, as far as it can be
// known without the go command and without its imports: what comes from these
// stays without a type.
type source struct{ pass analysis.Pass }

// readSource reads the files of a package, in a folder, that are in the binary.
func readSource(pkg, folder string, files []*dwarf.LineFile) (source, error) {
	fset := token.NewFileSet()
	var parsed []*ast.File
	for _, f := range files {
		if f == nil || filepath.Dir(f.Name) != folder || !strings.HasSuffix(f.Name, ".go") {
			continue
		}
		file, err := parser.ParseFile(fset, f.Name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return source{}, fmt.Errorf("read the source: %w", err)
		}
		parsed = append(parsed, file)
	}
	if len(parsed) == 0 {
		return source{}, fmt.Errorf("read the source: no file of %s is in %s", pkg, folder)
	}
	info := &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object),
		Uses: make(map[*ast.Ident]types.Object), Selections: make(map[*ast.SelectorExpr]*types.Selection),
		Instances: make(map[*ast.Ident]types.Instance),
		Implicits: make(map[ast.Node]types.Object), Scopes: make(map[ast.Node]*types.Scope),
		FileVersions: make(map[*ast.File]string),
	}
	var incomplete []types.Error
	conf := types.Config{Importer: testingOnly{}, Error: func(err error) { incomplete = append(incomplete, err.(types.Error)) }, FakeImportC: true}
	checked, _ := conf.Check(pkg, fset, parsed, info) // what the imports lack are errors
	return source{analysis.Pass{
		Fset: fset, Files: parsed, Pkg: checked, TypesInfo: info,
		TypesSizes: types.SizesFor("gc", "amd64"), TypeErrors: incomplete, Report: func(analysis.Diagnostic) {},
	}}, nil
}

// loops finds the timed loops.
func (s source) loops() (lint.LoopSet, error) {
	result, err := analyze(lint.TimedLoops, &s.pass)
	if err != nil {
		return lint.LoopSet{}, fmt.Errorf("list timed loops: %w", err)
	}
	return result.(lint.LoopSet), nil
}

// tooShort are the checks whose findings explain a time that is too short.
var tooShort = []string{"resetplace", "noloop", "loopstep", "unbalancedtimer", "twoloops", "loopexit"}

// mistakes returns what these checks report in a function.
func (s source) mistakes(function string) ([]Mistake, error) {
	var list []Mistake
	for _, c := range lint.Checks() {
		if !slices.Contains(tooShort, c.Name) {
			continue
		}
		pass := s.pass
		pass.Report = func(d analysis.Diagnostic) {
			if s.function(d.Pos) == function {
				list = append(list, Mistake{c.Name, d.Message})
			}
		}
		if _, err := analyze(c.Analyzer, &pass); err != nil {
			return nil, fmt.Errorf("run %s: %w", c.Name, err)
		}
	}
	return list, nil
}

// function names the declared function at a position.
func (s source) function(at token.Pos) string {
	for _, file := range s.pass.Files {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Pos() <= at && at < f.End() {
				return f.Name.Name
			}
		}
	}
	return ""
}

// analyze runs an analyzer, after those that it requires, on one package.
func analyze(a *analysis.Analyzer, base *analysis.Pass) (any, error) {
	pass := *base
	pass.Analyzer, pass.ResultOf = a, make(map[*analysis.Analyzer]any)
	for _, r := range a.Requires {
		result, err := analyze(r, base)
		if err != nil {
			return nil, err
		}
		pass.ResultOf[r] = result
	}
	return a.Run(&pass)
}

// testingSource declares what a timed loop uses of package testing.
const testingSource = `package testing
type B struct{ N int }
func (*B) Loop() bool
func (*B) Run(string, func(*B)) bool
func (*B) RunParallel(func(*PB))
type PB struct{}
func (*PB) Next() bool
`

// testingOnly imports package testing, as far as testingSource declares it, and
// nothing else.
type testingOnly struct{}

func (testingOnly) Import(path string) (*types.Package, error) {
	if path != "testing" {
		return nil, errors.New("not loaded")
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "testing.go", testingSource, 0)
	if err != nil {
		return nil, err
	}
	conf := types.Config{Error: func(error) {}} // functions without a body
	pkg, _ := conf.Check(path, fset, []*ast.File{file}, nil)
	return pkg, nil
}
