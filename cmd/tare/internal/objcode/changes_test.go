//go:build lab

package objcode

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// moduleChange is a change of some files of a module, by their names in it.
type moduleChange struct {
	name  string
	files map[string][]byte
}

// apply changes the files, until restore is called.
func (c moduleChange) apply(t *testing.T, dir string) (restore func()) {
	t.Helper()
	before := make(map[string][]byte)
	write := func(path string, content []byte) {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range c.files {
		path := filepath.Join(dir, name)
		if old, err := os.ReadFile(path); err == nil {
			before[path] = old
		}
		write(path, content)
	}
	return func() {
		for name := range c.files {
			path := filepath.Join(dir, name)
			if old, ok := before[path]; ok {
				write(path, old)
			} else if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// sourceFile is a file of the package that is changed.
type sourceFile struct {
	name      string
	data      []byte
	set       *token.FileSet
	tree      *ast.File
	functions []*ast.FuncDecl
}

func (f sourceFile) offset(p token.Pos) int { return f.set.Position(p).Offset }

// with is the file with the text between two places replaced.
func (f sourceFile) with(from, to int, text string) map[string][]byte {
	return map[string][]byte{f.name: slices.Concat(f.data[:from], []byte(text), f.data[to:])}
}

// start is where a function begins, with its comment.
func (f sourceFile) start(fn *ast.FuncDecl) int {
	if fn.Doc != nil {
		return f.offset(fn.Doc.Pos())
	}
	return f.offset(fn.Pos())
}

func readSources(t *testing.T, dir string) (all []sourceFile) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		f := sourceFile{name: filepath.Base(path), set: token.NewFileSet()}
		if f.data, err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
		if f.tree, err = parser.ParseFile(f.set, path, f.data, parser.ParseComments); err != nil {
			t.Fatal(err)
		}
		for _, d := range f.tree.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				f.functions = append(f.functions, fn)
			}
		}
		all = append(all, f)
	}
	return all
}

// changesOf makes twenty changes of a package at the root of a module as its
// history could have them.
func changesOf(t *testing.T, dir, module string) []moduleChange {
	t.Helper()
	files := readSources(t, dir)
	var comments, uncalled, reordered, numbers []moduleChange
	for _, f := range files {
		name := f.offset(f.tree.Name.End())
		comments = append(comments, moduleChange{"comment in " + f.name, f.with(name, name, "\n\n// A comment.")})
		uncalled = append(uncalled, moduleChange{"function that nothing calls in " + f.name,
			f.with(len(f.data), len(f.data), "\nfunc neverCalledByAnything(x int) int { return x + 1 }\n")})
		if n := len(f.functions); n > 1 && !strings.Contains(string(f.data), "//go:") {
			first, last := f.functions[0], f.functions[n-1]
			at, from, to := f.start(first), f.start(last), f.offset(last.End())
			moved := slices.Concat(f.data[:at], f.data[from:to], []byte("\n\n"), f.data[at:from], f.data[to:])
			reordered = append(reordered, moduleChange{"functions reordered in " + f.name, map[string][]byte{f.name: moved}})
		}
		for _, fn := range f.functions {
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				b, ok := n.(*ast.BinaryExpr)
				if !ok || b.Op != token.ADD && b.Op != token.SUB && b.Op != token.LSS {
					return true
				}
				if lit, ok := b.Y.(*ast.BasicLit); ok && lit.Kind == token.INT {
					numbers = append(numbers, moduleChange{"a number in " + fn.Name.Name + " of " + f.name,
						f.with(f.offset(lit.Pos()), f.offset(lit.End()), "("+lit.Value+"+1)")})
					return false
				}
				return true
			})
		}
	}
	pkg := strings.TrimSuffix(files[0].tree.Name.Name, "_test")
	goMod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	single := func(name, file, content string) moduleChange {
		return moduleChange{name, map[string][]byte{file: []byte(content)}}
	}
	changes := []moduleChange{
		single("test added", "tare_added_test.go", "package "+pkg+"\n\nimport \"testing\"\n\nfunc TestAddedHere(t *testing.T) { t.Log(1) }\n"),
		single("benchmark added", "tare_added_test.go", "package "+pkg+"\n\nimport \"testing\"\n\nvar addedSink int\n\nfunc BenchmarkAddedHere(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t\taddedSink++\n\t}\n}\n"),
		single("package added", "tareadded/added.go", "package tareadded\n\nfunc F() int { return 1 }\n"),
		single("file of another build tag", "tare_added.go", "//go:build tareadded\n\npackage "+pkg+"\n\nfunc init() { panic(1) }\n"),
		single("generic function that nothing instantiates", "tare_added.go", "//go:build go1.18\n\npackage "+pkg+"\n\nfunc addedHere[T any](x T) T { return x }\n"),
		single("init function", "tare_added.go", "package "+pkg+"\n\nvar addedHere int\n\nfunc init() { addedHere = 1 }\n"),
		{"dependency that no code imports", map[string][]byte{
			"go.mod":           append(slices.Clone(goMod), "\nrequire example.com/added v1.2.0\n\nreplace example.com/added => ./tareadded\n"...),
			"tareadded/go.mod": []byte("module example.com/added\n\ngo 1.11\n"),
		}},
	}
	if !regexp.MustCompile(`(?m)^go 1\.(\d|1[0-5])$`).Match(goMod) { // go:embed is not known to these
		changes = append(changes, moduleChange{"embedded file that nothing reads", map[string][]byte{
			"tare_added.txt": []byte("text\n"),
			"tare_added.go":  []byte("//go:build go1.18\n\npackage " + pkg + "\n\nimport _ \"embed\"\n\n//go:embed tare_added.txt\nvar addedHere string\n"),
		}})
	}
	changes = append(changes, renamings(files)...)
	// The rest are of the other kinds, spread over the files.
	for i, count := range []int{3, 2, 2, 20} {
		list := [][]moduleChange{comments, uncalled, reordered, numbers}[i]
		count = min(count, len(list), 20-len(changes))
		for k := range count {
			changes = append(changes, list[k*len(list)/count])
		}
	}
	return changes
}

// renamings gives two functions of the package another name wherever they are
// used.
func renamings(files []sourceFile) (changes []moduleChange) {
	for _, f := range files {
		for _, fn := range f.functions {
			name := fn.Name.Name
			if fn.Recv != nil || ast.IsExported(name) || name == "init" || name == "main" || len(name) < 5 || len(changes) == 2 {
				continue
			}
			word := regexp.MustCompile(`\b` + name + `\b`)
			change := moduleChange{"function " + name + " renamed", make(map[string][]byte)}
			for _, g := range files {
				if word.Match(g.data) {
					change.files[g.name] = word.ReplaceAll(g.data, []byte(name+"Renamed"))
				}
			}
			changes = append(changes, change)
		}
	}
	return changes
}
