package bisect

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// withImports gives a source file the imports that it uses, of its own and of
// those of two related files. A file that cannot be parsed stays as it is, and so
// does one with cgo.
func withImports(text string, related ...string) string {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", text, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return text
	}
	used := make(map[string]bool)
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				used[x.Name] = true
			}
		}
		return true
	})
	uses := func(i *ast.ImportSpec) bool {
		if i.Name != nil {
			return i.Name.Name == "_" || i.Name.Name == "." || used[i.Name.Name]
		}
		return slices.ContainsFunc(packageNames(i.Path.Value), func(name string) bool { return used[name] })
	}
	key := func(i *ast.ImportSpec) string {
		if i.Name != nil {
			return i.Name.Name + " " + i.Path.Value
		}
		return i.Path.Value
	}
	have := make(map[string]bool)
	out := []byte(text)
	at := func(p token.Pos) int { return set.Position(p).Offset }
	for _, i := range file.Imports {
		if i.Path.Value == `"C"` {
			return text
		}
		if have[key(i)] = true; uses(i) {
			continue
		}
		from, to := at(i.Pos()), at(i.End())
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && len(g.Specs) == 1 && g.Specs[0] == ast.Spec(i) {
				from, to = at(g.Pos()), at(g.End())
			}
		}
		copy(out[from:to], strings.Repeat(" ", to-from))
	}
	var missing []string
	for _, other := range related {
		file, err := parser.ParseFile(token.NewFileSet(), "", other, parser.ImportsOnly)
		if err != nil {
			continue
		}
		for _, i := range file.Imports {
			if k := key(i); !have[k] && uses(i) && (i.Name == nil || i.Name.Name != "_" && i.Name.Name != ".") {
				have[k], missing = true, append(missing, "import "+k)
			}
		}
	}
	if len(missing) == 0 {
		return string(out)
	}
	end := at(file.Name.End())
	return string(out[:end]) + "; " + strings.Join(missing, "; ") + string(out[end:])
}

// packageNames are the names that the package of a quoted import path may have.
func packageNames(quoted string) (names []string) {
	p, _ := strconv.Unquote(quoted)
	base := path.Base(p)
	if majorVersion.MatchString(base) && base != p {
		base = path.Base(path.Dir(p))
	}
	base = dottedVersion.ReplaceAllString(base, "")
	return append(strings.FieldsFunc(base, func(r rune) bool { return r == '-' || r == '.' }), base, strings.ReplaceAll(base, "-", "_"), strings.ReplaceAll(base, "-", ""))
}

var (
	majorVersion  = regexp.MustCompile(`^v\d+$`)
	dottedVersion = regexp.MustCompile(`\.v\d+$`)
)
