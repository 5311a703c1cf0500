package audit

import (
	"cmp"
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/finding"
)

// audited selects the Go files and the test data.
func audited(name string) bool { return strings.HasSuffix(name, ".go") || isTestData(name) }

func isTestData(name string) bool { return strings.Contains("/"+name, "/testdata/") }

func testFiles(names []string) (tests []string) {
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || isTestData(name) {
			tests = append(tests, name)
		}
	}
	return tests
}

// use is a place where code detects a test, or sets something that a test
// measures.
type use struct {
	what, file string
	line       int
}

// newUses are the uses that became more frequent in a changed file.
func newUses(old, new string, changed []string) (all []use) {
	for _, name := range changed {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		before := make(map[string]int)
		for _, u := range usesIn(filepath.Join(old, name)) {
			before[u.what]++
		}
		for _, u := range usesIn(filepath.Join(new, name)) {
			if before[u.what]--; before[u.what] < 0 {
				u.file = name
				all = append(all, u)
			}
		}
	}
	return all
}

const goStatement = "go statement"

// aware lists the functions and variables, by import path, with which code detects
// that it is tested or changes something that a test measures.
var aware = map[string][]string{
	"testing":       {"Testing", "CoverMode"},
	"os":            {"Args", "Executable"},
	"runtime":       {"GOMAXPROCS"},
	"runtime/debug": {"SetGCPercent", "SetMemoryLimit"},
}

func usesIn(path string) (all []use) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, path, nil, parser.ParseComments)
	if err != nil {
		return nil
	}
	add := func(at token.Pos, what string) { all = append(all, use{what: what, line: files.Position(at).Line}) }
	imports := make(map[string]string) // path by name
	for _, i := range f.Imports {
		target, _ := strconv.Unquote(i.Path.Value)
		name := target[strings.LastIndexByte(target, '/')+1:]
		if i.Name != nil {
			name = i.Name.Name
		}
		imports[name] = target
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			words := strings.Fields(c.Text)
			if len(words) == 3 && words[0] == "//go:linkname" && (strings.HasPrefix(words[2], "time.") || strings.HasPrefix(words[2], "testing.")) {
				add(c.Pos(), "go:linkname to "+words[2])
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 1 {
			name, isLookup := call.Fun.(*ast.SelectorExpr)
			text, isText := call.Args[0].(*ast.BasicLit)
			if isLookup && isText && name.Sel.Name == "Lookup" && strings.HasPrefix(text.Value, `"test.`) {
				add(n.Pos(), "flag.Lookup("+text.Value+")")
			}
		}
		if _, ok := n.(*ast.GoStmt); ok {
			add(n.Pos(), goStatement)
		}
		if s, ok := n.(*ast.SelectorExpr); ok {
			if pkg, ok := s.X.(*ast.Ident); ok && slices.Contains(aware[imports[pkg.Name]], s.Sel.Name) {
				add(n.Pos(), pkg.Name+"."+s.Sel.Name)
			}
		}
		return true
	})
	return all
}

// sameTests measures the new code with its own tests and with the old ones. A
// gain that the old tests do not show is in the benchmark.
func (a *auditor) sameTests(ctx context.Context, tests []string) error {
	list := words.List(tests)
	spec := a.spec
	spec.Audit, spec.Explain, spec.NewTests, spec.Profiles, spec.Folder = false, false, false, nil, ""
	old, new := spec.Variants[a.old], spec.Variants[a.new]
	spec.Variants = []build.Spec{old, new, new.WithTests(old.Revision)}
	spec.Builder, spec.Lock = a.s.Builder(), machine.LockOff
	if len(spec.Procs) == 0 { // this session is on one CPU, which the next one would take for all CPUs
		for _, b := range a.s.Comparison().Benchmarks {
			if !slices.Contains(spec.Procs, b.Procs) {
				spec.Procs = append(spec.Procs, b.Procs)
			}
		}
	}
	m, err := session.Open(ctx, spec, a.w)
	if err == nil {
		err = m.Run(ctx)
		if m.Measured() {
			err = a.compareTests(m.Comparison(), list)
		}
		err = errors.Join(err, m.Close(), os.RemoveAll(m.Folder()))
	}
	if broken, ok := errors.AsType[*build.BuildError](err); ok {
		return a.s.AddFindings(catalog.TestsDiffer.Of("tests", finding.Text("files", list), finding.Text("why", firstLine(broken.Output))))
	}
	return err
}

// compareTests reports each benchmark that gains more with its own tests.
func (a *auditor) compareTests(c result.Comparison, list string) error {
	var found []finding.Finding
	own := make(map[result.Key]result.Change)
	for _, b := range c.Benchmarks {
		if b.Unit != "sec/op" {
			continue
		}
		if b.NewVariant == 1 {
			own[b.Key] = b.Change
			continue
		}
		own, known := own[b.Key]
		if fixed := b.Change; known && own.Hi < fixed.Lo {
			found = append(found, catalog.TestsChanged.Of(b.Name, finding.Text("files", list),
				finding.ChangeIn("fixed", fixed.Ratio-1, fixed.Lo-1, fixed.Hi-1), finding.ChangeIn("own", own.Ratio-1, own.Lo-1, own.Hi-1)))
		}
	}
	return a.s.AddFindings(found...)
}

func firstLine(text string) string { return cmp.Or(words.FirstLine(text), "no output") }
