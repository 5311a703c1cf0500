package overlay

import (
	"fmt"
	"go/ast"
	"go/printer"
	"go/token"
	"maps"
	"slices"
	"strings"
)

type shape struct {
	structs map[string]*ast.StructType
	funcs   map[string]string
	values  map[string]bool
}

func shapeOf(files ...*ast.File) shape {
	s := shape{map[string]*ast.StructType{}, map[string]string{}, map[string]bool{}}
	for _, f := range files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					s.funcs[d.Name.Name] = source(d.Type)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						if t, ok := spec.Type.(*ast.StructType); ok {
							s.structs[spec.Name.Name] = t
						}
					case *ast.ValueSpec:
						for _, n := range spec.Names {
							s.values[n.Name] = true
						}
					}
				}
			}
		}
	}
	return s
}

// needed returns the parts of package testing that the files of a directory
// use: the declarations of its stock.go, except those that the rewrite adds.
func needed(folder string) (shape, error) {
	text, err := added.ReadFile(folder + "/stock.go")
	if err != nil {
		return shape{}, fmt.Errorf("read worker source: %w", err)
	}
	f, err := parse("stock.go", text)
	if err != nil {
		return shape{}, fmt.Errorf("read worker source: %w", err)
	}
	s := shapeOf(f.File)
	maps.DeleteFunc(s.values, func(name string, _ bool) bool { return strings.HasPrefix(name, "tare") })
	return s, nil
}

// positional are structs that the added files construct without field names.
var positional = []string{"BenchmarkResult"}

func (want shape) lacks(has shape) string {
	for _, name := range slices.Sorted(maps.Keys(want.structs)) {
		t := has.structs[name]
		if t == nil {
			return "no struct type " + name
		}
		if what := lacksField(t, want.structs[name]); what != "" {
			return "struct " + name + " " + what
		}
		if got, wanted := source(t), source(want.structs[name]); slices.Contains(positional, name) && !slices.Equal(fieldTypes(t), fieldTypes(want.structs[name])) {
			return fmt.Sprintf("struct %s is %s, not %s", name, got, wanted)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want.funcs)) {
		switch got := has.funcs[name]; {
		case got == "":
			return "no function " + name
		case got != want.funcs[name]:
			return fmt.Sprintf("%s is %s, not %s", name, got, want.funcs[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want.values)) {
		if !has.values[name] {
			return "no variable or constant " + name
		}
	}
	return ""
}

// lacksField names the first field that t lacks or has with another type. In
// a field that is a struct, only the fields of want matter.
func lacksField(t, want *ast.StructType) string {
	types := make(map[string]ast.Expr)
	for _, f := range t.Fields.List {
		for _, n := range f.Names {
			types[n.Name] = f.Type
		}
	}
	for _, f := range want.Fields.List {
		for _, n := range f.Names {
			if strings.HasPrefix(n.Name, "tare") {
				continue
			}
			got, ok := types[n.Name]
			if !ok {
				return "has no field " + n.Name
			}
			if inner, ok := f.Type.(*ast.StructType); ok {
				of, ok := got.(*ast.StructType)
				if !ok {
					return fmt.Sprintf("has field %s, which is not a struct", n.Name)
				}
				if what := lacksField(of, inner); what != "" {
					return fmt.Sprintf("has field %s, which %s", n.Name, what)
				}
				continue
			}
			if g, w := source(got), source(f.Type); g != w {
				return fmt.Sprintf("has field %s of type %s, not %s", n.Name, g, w)
			}
		}
	}
	return ""
}

func fieldTypes(t *ast.StructType) (types []string) {
	for _, f := range t.Fields.List {
		for range max(1, len(f.Names)) {
			types = append(types, source(f.Type))
		}
	}
	return types
}

func receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) != 1 {
		return ""
	}
	return source(fn.Recv.List[0].Type)
}

func source(n ast.Node) string {
	var b strings.Builder
	if err := printer.Fprint(&b, token.NewFileSet(), n); err != nil {
		return err.Error()
	}
	return b.String()
}
