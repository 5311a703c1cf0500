package lint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

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
	list, err := lintdriver.Run(loadModule(t, dir), lint.Checks())
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
			checkGolden(t, byCheck[c.Name])
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
					return d.File == file && d.Line == i+1 && regexp.MustCompile(w[1]).MatchString(d.Text())
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
		t.Errorf("%s:%d: found without a mark: %s", filepath.Base(d.File), d.Line, d.Text())
	}
}

// checkGolden applies the fixes and compares with the golden files.
func checkGolden(t *testing.T, found []lintdriver.Diagnostic) {
	t.Helper()
	fixed, _, err := lintdriver.Fix(found)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fixed {
		golden := f.File + ".golden"
		if *update {
			if err := os.WriteFile(golden, f.New, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if string(want) != string(f.New) {
			t.Errorf("%s: the fixed file differs: run with -update and read the change\n%s", filepath.Base(f.File), f.New)
		}
	}
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
	_, list := lintByFolder(t, module(t, files))
	for _, d := range list {
		if d.ID == filepath.Base(filepath.Dir(d.File)) && d.Fix != nil {
			t.Errorf("still to be fixed: %v", d)
		}
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
		{"beside", "", "//tare:ignore loopexit known", false},
		{"above", "//tare:ignore loopexit known", "", false},
		{"without_reason", "", "//tare:ignore loopexit", true},
		{"another_check", "", "//tare:ignore bnsize known", true},
		{"no_directive", "", "//tare:ignored loopexit known", true},
	}
	files := make(map[string]string)
	for _, tt := range tests {
		files[tt.name+"/p_test.go"] = fmt.Sprintf(`package p

import "testing"

func BenchmarkX(b *testing.B) {
	for b.Loop() {
		%s
		break %s
	}
}
`, tt.above, tt.beside)
	}
	found, _ := lintByFolder(t, module(t, files))
	for _, tt := range tests {
		if got := slices.Contains(found[tt.name], "loopexit"); got != tt.found {
			t.Errorf("%s: found = %v, want %v (%v)", tt.name, got, tt.found, found[tt.name])
		}
	}
}
