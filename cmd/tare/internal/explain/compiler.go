package explain

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/file"
)

// packagesOf are the packages that have causes.
func packagesOf(causes []Cause) (packages []string) {
	for _, cause := range causes {
		for _, symbol := range []string{cause.Function, cause.Subject} {
			if p := packageOf(symbol); p != "" && !isStandard(symbol) && !slices.Contains(packages, p) {
				packages = append(packages, p)
			}
		}
	}
	slices.Sort(packages)
	return packages
}

// decisions reads the compilers' output of both variants about packages. It is
// empty if that fails.
func (c *explainer) decisions(ctx context.Context, pkg string, v int, packages []string) []decisionChange {
	if len(packages) == 0 {
		return nil
	}
	var all [2][]decision
	var sources [2]sourceLine
	for i, one := range []*build.Variant{c.Variant(0, pkg), c.Variant(v, pkg)} {
		text, err := one.Compiled(ctx, pkg, decisionFlags, packages)
		if err != nil {
			return nil
		}
		if all[i], err = readDecisions(strings.NewReader(text)); err != nil {
			return nil
		}
		sources[i] = sourceIn(one.Dir)
	}
	return compareDecisions(all[0], all[1], sources[0], sources[1])
}

// packageOf is the import path of a symbol.
func packageOf(symbol string) string {
	head, _, _ := strings.Cut(symbol, "[")
	slash := strings.LastIndexByte(head, '/')
	name, _, found := strings.Cut(head[slash+1:], ".")
	if !found {
		return ""
	}
	return strings.ReplaceAll(head[:slash+1]+name, "%2e", ".")
}

// sourceIn reads source files whose names are relative to a directory.
func sourceIn(dir string) sourceLine {
	type source struct {
		lines []string
		set   *token.FileSet
		tree  *ast.File
	}
	files := make(map[string]*source)
	return func(name string, line int) (text, function string) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		f := files[name]
		if f == nil {
			f = &source{set: token.NewFileSet()}
			files[name] = f
			if data, err := file.ReadNamed(name); err == nil {
				f.lines = strings.Split(string(data), "\n")
				f.tree, _ = parser.ParseFile(f.set, name, data, parser.SkipObjectResolution) // nil only if nothing could be read
			}
		}
		if line < 1 || line > len(f.lines) || f.tree == nil {
			return "", ""
		}
		for _, d := range f.tree.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if ok && f.set.Position(fn.Pos()).Line <= line && line <= f.set.Position(fn.End()).Line {
				function = functionName(fn)
			}
		}
		return strings.TrimSpace(f.lines[line-1]), function
	}
}

// functionName is a function as the compiler writes it: F, T.M, (*T).M.
func functionName(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Name.Name
	}
	typ, pointer := fn.Recv.List[0].Type, false
	if star, ok := typ.(*ast.StarExpr); ok {
		typ, pointer = star.X, true
	}
	if index, ok := typ.(*ast.IndexExpr); ok {
		typ = index.X
	}
	name, _ := typ.(*ast.Ident)
	switch {
	case name == nil:
		return fn.Name.Name
	case pointer:
		return "(*" + name.Name + ")." + fn.Name.Name
	}
	return name.Name + "." + fn.Name.Name
}
