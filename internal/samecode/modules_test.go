package samecode

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var page = flag.String("page", "", "write the tables of TestTables to `FILE`")

// modules are released modules that the changes of TestTables are made to.
var modules = []struct{ path, version, pkg string }{
	{"github.com/cespare/xxhash/v2", "v2.3.0", "."},
	{"github.com/google/btree", "v1.1.3", "."},
	{"github.com/BurntSushi/toml", "v1.6.0", "."},
}

// TestTables makes the tables of docs/results/same-code.md: the changes of the
// module in testdata, and twenty changes of each of three released modules. It
// disassembles the linked binaries too: where a benchmark is called the same,
// no function that it calls directly may differ.
func TestTables(t *testing.T) {
	if os.Getenv("TARE_LONG") == "" || runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("links some hundred binaries: set TARE_LONG=1, on linux/amd64")
	}
	base, err := txtar.ParseFile("testdata/module.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	out.WriteString("| change | same code | measured | the first thing that differs |\n|---|---|---|---|\n")
	var reader Reader
	old, oldBinary := build(t, &reader, unpack(t, base.Files), "./a")
	before := readLinked(t, oldBinary)
	for _, e := range edits {
		new, newBinary := build(t, &reader, unpack(t, e.apply(t, base.Files)), "./a", e.args...)
		same, measured, why := checked(t, e.name, old, new, before, readLinked(t, newBinary), "example.com/m/a")
		fmt.Fprintf(&out, "| %s | %d | %d | %s |\n", e.name, same, measured, why)
	}
	writePage(t, out.String())
	out.WriteString("\n| module | change | same code | measured | the first thing that differs |\n|---|---|---|---|---|\n")
	for _, m := range modules {
		dir := download(t, m.path, m.version)
		old, oldBinary := build(t, &reader, dir, m.pkg)
		before := readLinked(t, oldBinary)
		for _, change := range changesOf(t, dir) {
			path := filepath.Join(dir, change.file)
			original, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, change.content, 0o666); err != nil {
				t.Fatal(err)
			}
			new, newBinary := build(t, &reader, dir, m.pkg)
			same, measured, why := checked(t, m.path+": "+change.name, old, new, before, readLinked(t, newBinary), m.path)
			fmt.Fprintf(&out, "| %s | %s | %d | %d | %s |\n", m.path, change.name, same, measured, why)
			if err := os.WriteFile(path, original, 0o666); err != nil {
				t.Fatal(err)
			}
			writePage(t, out.String())
		}
	}
	t.Log("\n" + out.String())
}

// writePage replaces the tables of the page.
func writePage(t *testing.T, tables string) {
	t.Helper()
	if *page == "" {
		return
	}
	text, err := os.ReadFile(*page)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(text), "<!-- tables -->")
	if err := os.WriteFile(*page, []byte(head+"<!-- tables -->\n\n"+tables), 0o666); err != nil {
		t.Fatal(err)
	}
}

// checked counts the benchmarks that need no measurement, and checks each of
// them against the linked binaries.
func checked(t *testing.T, name string, old, new *Program, before, after *linkedBinary, pkg string) (same, measured int, why string) {
	t.Helper()
	c := Compare(old, new)
	for _, b := range c.Benchmarks() {
		v := c.Benchmark(b)
		if !v.Same {
			measured++
			why = cmp.Or(why, v.Why)
			continue
		}
		same++
		root := pkg + "." + b
		if _, ok := before.byName[root]; !ok {
			root = pkg + "_test." + b
		}
		if _, ok := before.byName[root]; !ok {
			t.Errorf("%s: no function %s", name, root)
		}
		if f := differs(before, after, root); f != "" && !strings.Contains(name, "renamed") {
			t.Errorf("%s: %s is called the same, but %s differs", name, b, f)
		}
	}
	return same, measured, why
}

// download copies a released module to a folder of its own.
func download(t *testing.T, path, version string) string {
	t.Helper()
	out, err := exec.Command("go", "mod", "download", "-json", path+"@"+version).Output()
	if err != nil {
		t.Skipf("download %s: %v", path, err)
	}
	_, dir, _ := strings.Cut(string(out), `"Dir": "`)
	dir, _, _ = strings.Cut(dir, `"`)
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	filepath.WalkDir(copied, func(path string, d fs.DirEntry, err error) error {
		if err == nil {
			err = os.Chmod(path, 0o777)
		}
		return err
	})
	return copied
}

type moduleChange struct {
	name, file string
	content    []byte
}

// changesOf makes twenty changes of a package as its history could have them:
// of its files, in turn, comments, declarations in another order, functions
// that nothing calls, and other numbers in functions.
func changesOf(t *testing.T, dir string) (changes []moduleChange) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var lists [4][]moduleChange
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, path, data, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Base(path)
		offset := func(p token.Pos) int { return set.Position(p).Offset }
		splice := func(at, end int, text string) []byte {
			return slices.Concat(data[:at], []byte(text), data[end:])
		}
		name := offset(tree.Name.End())
		lists[0] = append(lists[0], moduleChange{"comment in " + file, file, splice(name, name, "\n\n// A comment.")})
		lists[1] = append(lists[1], moduleChange{"function that nothing calls in " + file, file, append(slices.Clone(data), "\nfunc neverCalledByAnything(x int) int { return x + 1 }\n"...)})
		var functions []*ast.FuncDecl
		for _, d := range tree.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				functions = append(functions, f)
			}
		}
		if n := len(functions); n > 1 && !strings.Contains(string(data), "//go:") {
			last := functions[n-1]
			from, to := offset(last.Pos()), offset(last.End())
			if last.Doc != nil {
				from = offset(last.Doc.Pos())
			}
			first := functions[0]
			at := offset(first.Pos())
			if first.Doc != nil {
				at = offset(first.Doc.Pos())
			}
			moved := slices.Concat(data[:at], data[from:to], []byte("\n\n"), data[at:from], data[to:])
			lists[2] = append(lists[2], moduleChange{"functions reordered in " + file, file, moved})
		}
		for _, f := range functions {
			ast.Inspect(f.Body, func(n ast.Node) bool {
				b, ok := n.(*ast.BinaryExpr)
				if !ok || b.Op != token.ADD && b.Op != token.SUB {
					return true
				}
				if lit, ok := b.Y.(*ast.BasicLit); ok && lit.Kind == token.INT {
					lists[3] = append(lists[3], moduleChange{"a number in " + f.Name.Name + " of " + file, file, splice(offset(lit.Pos()), offset(lit.End()), "("+lit.Value+"+1)")})
					return false
				}
				return true
			})
		}
	}
	// Some of each kind, spread over the files.
	for i, count := range []int{4, 4, 4, 8} {
		list := lists[i]
		for k := range min(count, len(list)) {
			changes = append(changes, list[k*len(list)/min(count, len(list))])
		}
	}
	return changes
}
