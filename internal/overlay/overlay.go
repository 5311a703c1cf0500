package overlay

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// added are the files that join package testing, with another ending so that
// no tool takes them for files of this package.
//
//go:embed timer.go.txt runtime.go.txt serve.go.txt line.go.txt events.go.txt events_linux.go.txt events_other.go.txt fence.go.txt fence_other.go.txt fence_amd64.s.txt fence_arm64.s.txt
var added embed.FS

// Overlay is a generated rewrite, ready for cmd/go's -overlay.
type Overlay struct {
	// Replace maps absolute paths under GOROOT to generated files.
	Replace map[string]string
	// GoVersion is the content of GOROOT/VERSION, first line ("go1.26.8").
	GoVersion string
	// Key changes whenever the generated content does.
	Key string
}

// ShapeError says what in package testing was not as expected.
type ShapeError struct {
	GoVersion string
	What      string
}

func (e *ShapeError) Error() string {
	return fmt.Sprintf("rewrite package testing of %s: %s", e.GoVersion, e.What)
}

// renamed are the methods of testing.B that our files replace, with the
// signatures it was written for. The stock ones stay, under another name,
// where ours call them.
var renamed = map[string]string{
	"StartTimer":       "func()",
	"StopTimer":        "func()",
	"ResetTimer":       "func()",
	"Elapsed":          "func() time.Duration",
	"run1":             "func() bool",
	"launch":           "func()",
	"runN":             "func(n int)",
	"stopOrScaleBLoop": "func() bool",
}

// needed are the fields and functions that our files use.
var (
	neededFields = map[string]string{
		"N": "int", "benchTime": "durationOrCountFlag", "bytes": "int64",
		"timerOn": "bool", "result": "BenchmarkResult", "netAllocs": "uint64",
		"netBytes": "uint64", "extra": "map[string]float64", "loop": "",
	}
	neededLoop   = []string{"n", "i", "done"}
	neededCommon = map[string]string{
		"failed": "bool", "skipped": "bool", "name": "string",
		"duration": "time.Duration", "signal": "chan bool", "output": "[]byte",
	}
	neededFuncs = map[string]string{
		"predictN": "func(goalns int64, prevIters int64, prevns int64, last int64) int",
	}
)

// Generate writes the rewrite of goroot's package testing into dir.
func Generate(goroot, dir string) (*Overlay, error) {
	version := goVersion(goroot)
	folder := filepath.Join(goroot, "src", "testing")
	benchmarkPath := filepath.Join(folder, "benchmark.go")
	source, err := os.ReadFile(benchmarkPath)
	if err != nil {
		return nil, fmt.Errorf("read package testing: %w", err)
	}
	common, err := os.ReadFile(filepath.Join(folder, "testing.go"))
	if err != nil {
		return nil, fmt.Errorf("read package testing: %w", err)
	}
	rewritten, err := rewrite(source, common, version)
	if err != nil {
		return nil, err
	}
	files, err := fs.ReadDir(added, ".")
	if err != nil {
		return nil, fmt.Errorf("read worker source: %w", err)
	}
	o := &Overlay{Replace: make(map[string]string), GoVersion: version}
	sum := sha256.New()
	write := func(name string, content []byte) error {
		sum.Write(content)
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o666); err != nil {
			return fmt.Errorf("write overlay: %w", err)
		}
		o.Replace[filepath.Join(folder, name)] = path
		return nil
	}
	if err := write("benchmark.go", rewritten); err != nil {
		return nil, err
	}
	for _, f := range files {
		content, err := fs.ReadFile(added, f.Name())
		if err != nil {
			return nil, fmt.Errorf("read worker source: %w", err)
		}
		if err := write("tare_"+strings.TrimSuffix(f.Name(), ".txt"), content); err != nil {
			return nil, err
		}
	}
	o.Key = hex.EncodeToString(sum.Sum(nil))[:16]
	return o, nil
}

func goVersion(goroot string) string {
	b, err := os.ReadFile(filepath.Join(goroot, "VERSION"))
	if err != nil {
		return "an unknown Go version"
	}
	first, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSpace(first)
}

// edit replaces source[from:to] by text.
type edit struct {
	from, to int
	text     string
}

// rewrite splices text into benchmark.go so that every line keeps its number:
// stack traces of the user's benchmarks stay true.
func rewrite(source, commonSource []byte, version string) ([]byte, error) {
	refuse := func(format string, args ...any) ([]byte, error) {
		return nil, &ShapeError{version, fmt.Sprintf(format, args...)}
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "benchmark.go", source, parser.SkipObjectResolution)
	if err != nil {
		return refuse("benchmark.go does not parse: %v", err)
	}
	commonFile, err := parser.ParseFile(fset, "testing.go", commonSource, parser.SkipObjectResolution)
	if err != nil {
		return refuse("testing.go does not parse: %v", err)
	}
	offset := func(p token.Pos) int { return fset.Position(p).Offset }

	b := structNamed(file, "B")
	if b == nil {
		return refuse("there is no struct type B")
	}
	if what := lacks(b, neededFields); what != "" {
		return refuse("struct B %s", what)
	}
	for _, f := range b.Fields.List {
		if slices.ContainsFunc(f.Names, func(n *ast.Ident) bool { return n.Name == "loop" }) {
			loop, ok := f.Type.(*ast.StructType)
			if !ok {
				return refuse("field B.loop is no struct")
			}
			for _, name := range neededLoop {
				if !hasField(loop, name) {
					return refuse("struct B.loop has no field %s", name)
				}
			}
		}
	}
	c := structNamed(commonFile, "common")
	if c == nil {
		return refuse("there is no struct type common")
	}
	if what := lacks(c, neededCommon); what != "" {
		return refuse("struct common %s", what)
	}

	edits := []edit{{offset(b.Fields.Closing), offset(b.Fields.Closing), "tare tareState "}}
	seen := make(map[string]bool)
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		name := fn.Name.Name
		if fn.Recv == nil {
			if want, ok := neededFuncs[name]; ok {
				if got := signature(fn.Type); got != want {
					return refuse("%s is %s, not %s", name, got, want)
				}
				seen[name] = true
			}
			continue
		}
		if receiver(fn) != "*B" {
			continue
		}
		if want, ok := renamed[name]; ok {
			if got := signature(fn.Type); got != want {
				return refuse("method B.%s is %s, not %s", name, got, want)
			}
			seen[name] = true
			edits = append(edits, edit{offset(fn.Name.Pos()), offset(fn.Name.End()), "tareStock" + name})
		}
		if name == "runN" {
			call := collection(fn)
			if call == nil {
				return refuse("method B.runN does not call runtime.GC exactly once")
			}
			seen[name] = true
			edits = append(edits, edit{offset(call.Pos()), offset(call.End()), "b.tareCollect()"})
		}
	}
	for name := range renamed {
		if !seen[name] {
			return refuse("there is no method B.%s", name)
		}
	}
	for name := range neededFuncs {
		if !seen[name] {
			return refuse("there is no function %s", name)
		}
	}
	if !seen["runN"] {
		return refuse("there is no method B.runN")
	}

	slices.SortFunc(edits, func(a, b edit) int { return a.from - b.from })
	var out bytes.Buffer
	last := 0
	for _, e := range edits {
		out.Write(source[last:e.from])
		out.WriteString(e.text)
		last = e.to
	}
	out.Write(source[last:])
	return out.Bytes(), nil
}

func structNamed(f *ast.File, name string) *ast.StructType {
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE {
			continue
		}
		for _, s := range g.Specs {
			if ts := s.(*ast.TypeSpec); ts.Name.Name == name {
				st, _ := ts.Type.(*ast.StructType)
				return st
			}
		}
	}
	return nil
}

func hasField(s *ast.StructType, name string) bool {
	for _, f := range s.Fields.List {
		for _, n := range f.Names {
			if n.Name == name {
				return true
			}
		}
	}
	return false
}

// lacks names the first needed field that s has not, or has with another
// type; an empty type means any.
func lacks(s *ast.StructType, needed map[string]string) string {
	types := make(map[string]string)
	for _, f := range s.Fields.List {
		for _, n := range f.Names {
			types[n.Name] = source(f.Type)
		}
	}
	names := make([]string, 0, len(needed))
	for name := range needed {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		got, ok := types[name]
		if !ok {
			return "has no field " + name
		}
		if want := needed[name]; want != "" && got != want {
			return fmt.Sprintf("has field %s of type %s, not %s", name, got, want)
		}
	}
	return ""
}

func receiver(fn *ast.FuncDecl) string {
	if len(fn.Recv.List) != 1 {
		return ""
	}
	return source(fn.Recv.List[0].Type)
}

func signature(t *ast.FuncType) string { return source(t) }

func source(n ast.Node) string {
	var b strings.Builder
	if err := printer.Fprint(&b, token.NewFileSet(), n); err != nil {
		return err.Error()
	}
	return b.String()
}

// collection finds the one call of runtime.GC in fn.
func collection(fn *ast.FuncDecl) *ast.CallExpr {
	var found []*ast.CallExpr
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if ok && len(call.Args) == 0 && source(call.Fun) == "runtime.GC" {
			found = append(found, call)
		}
		return true
	})
	if len(found) != 1 {
		return nil
	}
	return found[0]
}
