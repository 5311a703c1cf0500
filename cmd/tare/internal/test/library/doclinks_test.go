package library_test

import (
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var docLink = regexp.MustCompile(`(?m)^[^\t\n]*?\[\*?([A-Za-z]\w*(?:\.[A-Za-z]\w*){0,2})\](?:[^(:\[]|$)`)

// Every doc link names something that exists: a name in brackets that leads
// nowhere has changed. Links into other modules are not followed.
func TestDocLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	fset, files := token.NewFileSet(), make(map[string][]*ast.File) // by import path
	err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && (e.Name() == "testdata" || e.Name() == ".git") {
			return fs.SkipDir
		}
		if err == nil && strings.HasSuffix(name, ".go") {
			f, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			rel, _ := filepath.Rel(root, filepath.Dir(name))
			pkg := path.Join("github.com/tarebench/tare", filepath.ToSlash(rel))
			files[pkg] = append(files[pkg], f)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	declared := make(map[string]bool) // path.Name and path.Type.Member
	for pkg, all := range files {
		for _, f := range all {
			for _, name := range namesOf(f) {
				declared[pkg+"."+name] = true
			}
		}
	}
	for pkg, all := range files {
		imports := make(map[string]string) // of all files, as in go doc
		for _, f := range all {
			for _, im := range f.Imports {
				p, _ := strconv.Unquote(im.Path.Value)
				imports[path.Base(p)] = p
			}
		}
		for _, f := range all {
			for _, group := range f.Comments {
				for _, m := range docLink.FindAllStringSubmatch(group.Text(), -1) {
					name, from := m[1], pkg
					first, rest, _ := strings.Cut(name, ".")
					if _, standard := comment.DefaultLookupPackage(first); imports[first] != "" || standard {
						name, from = rest, imports[first]
					}
					word := !ast.IsExported(name[strings.LastIndexByte(name, '.')+1:]) && !declared[pkg+"."+first]
					if !word && !declared[from+"."+name] && (from == pkg || files[from] != nil) {
						t.Errorf("%s: [%s] leads nowhere", fset.Position(group.Pos()), m[1])
					}
				}
			}
		}
	}
}

// namesOf lists the declared names of a file: Name, Type.Field and Type.Method.
func namesOf(f *ast.File) (names []string) {
	members := func(of string, list *ast.FieldList) {
		for _, field := range list.List {
			for _, n := range field.Names {
				names = append(names, of+"."+n.Name)
			}
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				of := d.Recv.List[0].Type
				for {
					switch x := of.(type) {
					case *ast.StarExpr:
						of = x.X
						continue
					case *ast.IndexExpr:
						of = x.X
						continue
					}
					break
				}
				name = of.(*ast.Ident).Name + "." + name
			}
			names = append(names, name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.ValueSpec:
					for _, n := range s.Names {
						names = append(names, n.Name)
					}
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
					switch x := s.Type.(type) {
					case *ast.StructType:
						members(s.Name.Name, x.Fields)
					case *ast.InterfaceType:
						members(s.Name.Name, x.Methods)
					}
				}
			}
		}
	}
	return names
}
