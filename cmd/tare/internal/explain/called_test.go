package explain

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/tarebench/tare/cmd/tare/internal/objcode"
	"github.com/tarebench/tare/cmd/tare/internal/test/objects"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// unreachedIn compiles both sides of a module, in which KEY is another number, and
// lists the changed functions that cannot run in the benchmarks of package a.
func unreachedIn(t *testing.T, dir string, module *txtar.Archive, benchmarks ...string) (changed, unreached []objcode.Changed) {
	t.Helper()
	var reader objcode.Reader
	programs, files := make([]*objcode.Program, 2), []string(nil)
	for i, key := range []string{"1009", "2003"} {
		for _, f := range module.Files {
			path := filepath.Join(dir, f.Name)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(f.Data), "KEY", key)), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		link, args := objects.Compile(t, dir, "./a")
		p, err := reader.Open(link, args)
		if err != nil {
			t.Fatal(err)
		}
		programs[i] = p
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".go") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	c := objcode.Compare(programs[0], programs[1])
	may := mayRun(files, c.Running(benchmarks))
	if may == nil {
		t.Fatal("the sources are not understood")
	}
	changed = c.Changed(objcode.Builtins(goroot(t)))
	for _, f := range changed {
		if !may(f.Name) {
			unreached = append(unreached, f)
		}
	}
	return changed, unreached
}

func vanishing(t *testing.T) *txtar.Archive {
	t.Helper()
	module, err := txtar.ParseFile(filepath.Join("testdata", "vanishing.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	return module
}

// TestUnreached: functions that were folded into constants are not called
// unreached, those that nothing mentions are.
func TestUnreached(t *testing.T) {
	const all = "a.Blind a.Large a.OnlyTested"
	for _, test := range []struct{ benchmarks, want string }{
		{"Folded Generic Chain Method Printed Switch Registered", all},
		{"Folded", all + " a.Code a.Kilo.Mass a.Square.Area a.Unit a.inner a.outer a.pick[go.shape.int] a.pick[int] c.Inner"},
	} {
		var benchmarks []string
		for name := range strings.FieldsSeq(test.benchmarks) {
			benchmarks = append(benchmarks, "Benchmark"+name)
		}
		changed, unreached := unreachedIn(t, t.TempDir(), vanishing(t), benchmarks...)
		var names []string
		for _, f := range unreached {
			names = append(names, words.Symbol(f.Name))
		}
		want := strings.Fields(test.want)
		slices.Sort(want)
		slices.Sort(names)
		if !slices.Equal(names, want) {
			t.Errorf("measured %s:\nunreached %s\nwant      %s\nchanged   %v", test.benchmarks, names, want, changed)
		}
	}
}

// TestUnreadable: without all sources nothing is called unreached.
func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "x_test.go"), filepath.Join(dir, "y.go")
	if err := os.WriteFile(good, []byte("package x\n\nfunc BenchmarkX() {}\n\nfunc blind() {}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if may := mayRun([]string{good}, []string{"x.BenchmarkX"}); may == nil || may("x.blind") || !may("x.BenchmarkX") || !may("x.unknown") {
		t.Error("a program of one file is not understood")
	}
	for _, test := range []struct{ files, symbols []string }{
		{[]string{good, bad}, []string{"x.BenchmarkX"}},
		{[]string{good}, nil},
		{nil, []string{"x.BenchmarkX"}},
	} {
		if mayRun(test.files, test.symbols) != nil {
			t.Errorf("%v is understood", test)
		}
	}
}
