package lint_test

import (
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/tarebench/tare/cmd/tare/internal/lab"
	"github.com/tarebench/tare/cmd/tare/internal/lintdriver"
	"github.com/tarebench/tare/cmd/tare/lint"
)

// The fixtures of a check are testdata/src/ID: true cases marked with want, in
// the notation of analysistest, and near misses below them. Where the check
// offers fixes, NAME.golden is the file after them.

// TestFixtures loads all fixtures at once and holds what every check finds in
// its own against the marks.
func TestFixtures(t *testing.T) {
	dir := filepath.Join("testdata", "src")
	abs, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	pkgs := loadModule(t, dir)
	list, err := lintdriver.Run(pkgs, lint.Checks())
	if err != nil {
		t.Fatal(err)
	}
	byCheck := make(map[string][]lintdriver.Diagnostic)
	for _, d := range list {
		if filepath.Base(filepath.Dir(d.File)) == d.ID {
			byCheck[d.ID] = append(byCheck[d.ID], d)
		}
	}
	for _, c := range lint.Checks() {
		t.Run(c.Name, func(t *testing.T) {
			checkWants(t, filepath.Join(abs, c.Name), byCheck[c.Name])
			checkGolden(t, fixedFiles(t, pkgs, func(folder, check string) bool { return folder == c.Name && check == c.Name }))
		})
	}
}

var (
	wantMark = regexp.MustCompile("// want (.*)$")
	wantText = regexp.MustCompile("`([^`]*)`")
)

// checkWants compares findings with the marks in the files of a folder.
func checkWants(t *testing.T, dir string, found []lintdriver.Diagnostic) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures in %s (%v)", dir, err)
	}
	wants := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			m := wantMark.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			for _, w := range wantText.FindAllStringSubmatch(m[1], -1) {
				wants++
				k := slices.IndexFunc(found, func(d lintdriver.Diagnostic) bool {
					return d.File == file && d.Line == i+1 && regexp.MustCompile(w[1]).MatchString(d.Message+"; "+d.Action)
				})
				if k < 0 {
					t.Errorf("%s:%d: not found: %s", filepath.Base(file), i+1, w[1])
					continue
				}
				found = slices.Delete(slices.Clone(found), k, k+1)
			}
		}
	}
	if wants == 0 {
		t.Error("the fixtures have no true case")
	}
	for _, d := range found {
		t.Errorf("%s:%d: found without a mark: %s", filepath.Base(d.File), d.Line, d.Message+"; "+d.Action)
	}
}

// checkGolden compares the fixed files of a check with the golden files.
func checkGolden(t *testing.T, fixed map[string][]byte) {
	t.Helper()
	for file, text := range fixed {
		golden := file + ".golden"
		if *update {
			if err := os.WriteFile(golden, text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if string(want) != string(text) {
			t.Errorf("%s: the fixed file differs: run with -update and read the change\n%s", filepath.Base(file), text)
		}
	}
}

// fixedFiles applies the fixes of checks, in memory.
func fixedFiles(t *testing.T, pkgs []*packages.Package, ofFolder func(folder, check string) bool) map[string][]byte {
	t.Helper()
	graph, err := checker.Analyze(lint.Analyzers(), pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	type edit struct {
		start, end int
		text       string
	}
	edits := make(map[string][]edit)
	for _, act := range graph.Roots {
		for _, d := range act.Diagnostics {
			file := act.Package.Fset.Position(d.Pos).Filename
			if len(d.SuggestedFixes) == 0 || !ofFolder(filepath.Base(filepath.Dir(file)), act.Analyzer.Name) {
				continue
			}
			for _, e := range d.SuggestedFixes[0].TextEdits {
				one := edit{act.Package.Fset.Position(e.Pos).Offset, act.Package.Fset.Position(e.End).Offset, string(e.NewText)}
				if !slices.Contains(edits[file], one) {
					edits[file] = append(edits[file], one)
				}
			}
		}
	}
	fixed := make(map[string][]byte)
	for file, list := range edits {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(list, func(a, b edit) int { return b.start - a.start })
		for _, e := range list {
			text = slices.Concat(text[:e.start], []byte(e.text), text[e.end:])
		}
		if fixed[file], err = format.Source(text); err != nil {
			t.Fatal(err)
		}
	}
	return fixed
}

// TestGoldenCompiles loads the golden files as they are: they compile, and a
// fixed place is not found again.
func TestGoldenCompiles(t *testing.T) {
	goldens, err := filepath.Glob(filepath.Join("testdata", "src", "*", "*.golden"))
	if err != nil || len(goldens) == 0 {
		t.Fatalf("no golden files (%v)", err)
	}
	files := make(map[string]string)
	for _, g := range goldens {
		text, err := os.ReadFile(g)
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Base(filepath.Dir(g))
		files[folder+"/"+strings.TrimSuffix(filepath.Base(g), ".golden")] = string(text)
	}
	for file := range fixedFiles(t, loadModule(t, module(t, files)), func(folder, check string) bool { return folder == check }) {
		t.Errorf("still to be fixed: %v", file)
	}
}

// TestAnalysistest runs the same fixtures through the framework's own driver.
func TestAnalysistest(t *testing.T) {
	lab.Only(t, "runs analysistest, which loads the standard library from source for every check")
	dir, err := filepath.Abs(filepath.Join("testdata", "src"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range lint.Checks() {
		t.Run(c.Name, func(t *testing.T) {
			golden, _ := filepath.Glob(filepath.Join(dir, c.Name, "*.golden"))
			if len(golden) > 0 {
				analysistest.RunWithSuggestedFixes(t, dir, c.Analyzer, "./"+c.Name)
			} else {
				analysistest.Run(t, dir, c.Analyzer, "./"+c.Name)
			}
		})
	}
}

// TestIgnore silences a finding, on its line and from the line above, only
// with an id and a reason.
func TestIgnore(t *testing.T) {
	tests := []struct {
		name, above, beside string
		found               bool
	}{
		{"nothing", "", "", true},
		{"beside", "", "//tare:ignore loopnoise known", false},
		{"above", "//tare:ignore loopnoise known", "", false},
		{"without_reason", "", "//tare:ignore loopnoise", true},
		{"another_check", "", "//tare:ignore bnsize known", true},
		{"no_directive", "", "//tare:ignored loopnoise known", true},
	}
	files := make(map[string]string)
	for _, tt := range tests {
		files[tt.name+"/p_test.go"] = fmt.Sprintf(`package p

import (
	"fmt"
	"testing"
)

var X int

func BenchmarkX(b *testing.B) {
	for b.Loop() {
		X++
		%s
		fmt.Println(X) %s
	}
}
`, tt.above, tt.beside)
	}
	found, _ := lintByFolder(t, module(t, files))
	for _, tt := range tests {
		if got := slices.Contains(found[tt.name], "loopnoise"); got != tt.found {
			t.Errorf("%s: found = %v, want %v (%v)", tt.name, got, tt.found, found[tt.name])
		}
	}
}
