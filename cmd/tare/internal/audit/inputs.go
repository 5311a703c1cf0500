package audit

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

type knownInput struct {
	text, file, test string
	line             int
}

// leastText is the shortest text that is unlikely to be in a test by chance.
// Numbers are compared by their digits.
const leastText = 7

// knownInputs are the texts that a changed file newly compares with and that
// are in the tests beside it.
func knownInputs(old, new string, changed []string) (all []knownInput) {
	for _, name := range changed {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		before := comparedTexts(filepath.Join(old, name))
		after := comparedTexts(filepath.Join(new, name))
		maps.DeleteFunc(after, func(text string, _ int) bool { _, had := before[text]; return had })
		if len(after) == 0 {
			continue
		}
		tests, _ := filepath.Glob(filepath.Join(new, filepath.Dir(name), "*_test.go")) // none: no text is known
		for _, text := range slices.Sorted(maps.Keys(after)) {
			for _, test := range tests {
				if contains(test, text) {
					all = append(all, knownInput{text, name, filepath.Base(test), after[text]})
					break
				}
			}
		}
	}
	return all
}

func contains(path, text string) (found bool) {
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok {
			value := valueOfLiteral(l)
			found = found || strings.Contains(value, text) || strings.Contains(digits(value), text)
		}
		return !found
	})
	return found
}

func valueOfLiteral(l *ast.BasicLit) string {
	switch l.Kind {
	case token.STRING:
		text, _ := strconv.Unquote(l.Value)
		return text
	case token.INT, token.FLOAT:
		return digits(l.Value)
	}
	return ""
}

func digits(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, text)
}

var comparing = []string{"HasPrefix", "HasSuffix", "Contains", "Equal", "EqualFold", "Compare", "Index", "CutPrefix"}

// comparedTexts are the long texts that a file compares values with, directly or by
// the name of a constant or variable, with their lines.
func comparedTexts(path string) map[string]int {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	named := make(map[string]*ast.BasicLit)
	ast.Inspect(f, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			for i, name := range spec.Names {
				if i < len(spec.Values) {
					if l, ok := spec.Values[i].(*ast.BasicLit); ok {
						named[name.Name] = l
					}
				}
			}
		}
		return true
	})
	texts := make(map[string]int)
	add := func(all ...ast.Expr) {
		for _, e := range all {
			l, ok := e.(*ast.BasicLit)
			if name, isName := e.(*ast.Ident); isName {
				l, ok = named[name.Name]
			}
			if !ok {
				continue
			}
			if text := valueOfLiteral(l); len(text) >= leastText {
				texts[text] = files.Position(e.Pos()).Line
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				add(n.X, n.Y)
			}
		case *ast.CaseClause:
			add(n.List...)
		case *ast.IndexExpr:
			add(n.Index)
		case *ast.CompositeLit:
			if _, isMap := n.Type.(*ast.MapType); isMap {
				for _, e := range n.Elts {
					if pair, ok := e.(*ast.KeyValueExpr); ok {
						add(pair.Key)
					}
				}
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains(comparing, f.Sel.Name) {
				add(n.Args...)
			}
		}
		return true
	})
	return texts
}
