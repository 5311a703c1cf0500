package audit

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

func write(t *testing.T, root string, files map[string]string) string {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// Only new uses in a changed file count, in code and in tests. Other files do not.
func TestNewUsesAreTheChangesOwn(t *testing.T) {
	same := "package p\n\nimport \"os\"\n\nvar name = os.Args[0]\n"
	old := write(t, t.TempDir(), map[string]string{
		"same.go": same, "p.go": same, "p_test.go": "package p\n", "testdata/a.txt": "a", ".git/x.go": "package x\n", "README.md": "old",
	})
	new := write(t, t.TempDir(), map[string]string{
		"same.go": same, "README.md": "new", "testdata/a.txt": "b", ".git/x.go": "package y\n",
		"p.go": `package p

import (
	"flag"
	"os"
	d "runtime/debug"
	"testing"
	_ "unsafe"
)

var name = os.Args[0]

//go:linkname now time.now
func now()

func f() bool {
	d.SetGCPercent(-1)
	go now()
	return testing.Testing() || flag.Lookup("test.v") != nil || flag.Lookup("other") != nil
}
`,
		"p_test.go": "package p\n\nimport \"runtime\"\n\nvar procs = runtime.GOMAXPROCS(1)\n",
	})
	changed, err := build.ChangedFiles(t.Context(), old, new, audited)
	if err != nil || !slices.Equal(changed, []string{"p.go", "p_test.go", "testdata/a.txt"}) {
		t.Fatalf("changed files are %q: %v", changed, err)
	}
	if tests := testFiles(changed); !slices.Equal(tests, []string{"p_test.go", "testdata/a.txt"}) {
		t.Errorf("tests are %q", tests)
	}
	var whats []string
	for _, u := range newUses(old, new, changed) {
		whats = append(whats, u.what)
		if u.line == 0 || u.file == "" {
			t.Errorf("%+v has no place", u)
		}
	}
	want := []string{"go:linkname to time.now", "d.SetGCPercent", goStatement, "testing.Testing", `flag.Lookup("test.v")`, "runtime.GOMAXPROCS"}
	if !slices.Equal(whats, want) {
		t.Errorf("uses are %q, want %q", whats, want)
	}
}

func times(op, step float64) (all []float64) {
	for i := range 4 * pairs {
		all = append(all, op+step*float64(i))
	}
	return all
}

// The first call of a memoized function saves nothing. The first call of a faster
// function saves as much as the others. Noise of the first call hides the difference.
func TestFirstCall(t *testing.T) {
	const saved = 1e-3
	for _, test := range []struct {
		name           string
		old, new       []float64
		saved          float64
		found, decided bool
	}{
		{"a memoized function", times(1e-3, 0), times(1.5e-3, 0), saved, true, true},
		{"a memoized function on a busy machine", times(1e-3, 50e-6), times(1e-3, 50e-6), saved, true, true},
		{"a faster function", times(1.1e-3, 0), times(0.1e-3, 0), saved, false, true},
		{"half of it", times(1e-3, 0), times(0.5e-3, 0), saved, false, false},
		{"cold code", times(20e-6, 1e-6), times(20e-6, 1e-6), 2.5e-6, false, true},
		{"a first call below the scatter of a process", times(1e-6, 1e-6), times(1e-6, 1e-6), 1e-3, false, false},
		{"a small gain in a long first call", times(20e-6, 1e-6), times(20e-6, 1e-6), 0.5e-6, false, true},
	} {
		f, found, decided := firstCall("B", test.old, test.new, 1.1*test.saved, test.saved)
		if found != test.found || decided != test.decided {
			t.Errorf("%s: %v %v %v", test.name, f, found, decided)
		}
	}
	if f, _, _ := firstCall("B", times(1e-3, 0), times(1.5e-3, 0), saved, saved); valueOf(f, "calls") != 2 {
		t.Errorf("it pays after %v calls", valueOf(f, "calls"))
	}
}

// Texts that only new comparisons and the tests have are known inputs; messages,
// short texts and texts of the old code are not.
func TestKnownInputs(t *testing.T) {
	test := "package p\n\nconst input = `{\"tagged\": \"OK, all of it\"}`\n\nvar d = from(\"30.4123463\")\n\nvar long = \"an old comparison\"\n\nvar message = \"a new message\"\n"
	old := write(t, t.TempDir(), map[string]string{"p.go": "package p\n\nfunc f(s string) bool { return s == \"an old comparison\" }\n", "p_test.go": test})
	new := write(t, t.TempDir(), map[string]string{"p.go": `package p

const known = "OK, all of it"

func f(s string, n int) bool {
	switch s {
	case "an old comparison", "OK", "not in a test":
		panic("a new message")
	}
	return s == known || n == 304123463
}
`, "p_test.go": test})
	var texts []string
	for _, k := range knownInputs(old, new, []string{"p.go", "p_test.go"}) {
		texts = append(texts, k.text)
		if k.file != "p.go" || k.test != "p_test.go" || k.line != 10 {
			t.Errorf("%+v", k)
		}
	}
	if want := []string{"304123463", "OK, all of it"}; !slices.Equal(texts, want) {
		t.Errorf("known inputs are %q, want %q", texts, want)
	}
}

// Work that a goroutine does beside the slices is outside of them; setup that both
// sides have is not, and a block without it takes the finding away.
func TestOutside(t *testing.T) {
	block := func(timedOld, cpuOld, timedNew, cpuNew float64) result.Block {
		slice := func(raw float64) result.Slice { return result.Slice{N: 100, Raw: 100 * raw} }
		return result.Block{
			Rounds:    []result.Round{{Order: []int{0, 1}, Slices: []result.Slice{slice(timedOld), slice(timedNew)}}},
			Processes: []result.Process{{N: 100, User: 100 * cpuOld}, {N: 100, User: 60 * cpuNew, System: 40 * cpuNew}},
		}
	}
	blocks := func(n int, b result.Block) []result.Block { return slices.Repeat([]result.Block{b}, n) }
	for _, test := range []struct {
		name   string
		blocks []result.Block
		moved  bool
	}{
		{"moved", blocks(8, block(1000, 1100, 100, 1150)), true},
		{"saved", blocks(8, block(1000, 1100, 100, 200)), false},
		{"waited before", blocks(8, block(1000, 10, 100, 110)), false},
		{"one block", blocks(1, block(1000, 1100, 100, 1150)), true},
		{"no block", nil, false},
		{"not in one block", append(blocks(8, block(1000, 1100, 100, 1150)), block(1000, 1100, 100, 200)), false},
	} {
		if f, moved := outside("B", test.blocks, 0, 1); moved != test.moved {
			t.Errorf("%s: %v %v", test.name, f, moved)
		}
	}
}

func TestReadTime(t *testing.T) {
	for text, want := range map[string]float64{
		"goos: linux\nBenchmarkWork-2   \t       1\t    307382 ns/op\nPASS\n":            307382e-9,
		"goos: linux\nBenchmarkWork-2   \t       1\nPASS\n":                              0,
		"BenchmarkA/n=1-2 \t 1\t 12.50 ns/op\t 3 B/op\nPASS\n":                           12.5e-9,
		"goos: linux\nBenchmarkWork\n--- SKIP: BenchmarkWork\n    m_test.go:9: no\nPASS": math.NaN(),
	} {
		got, err := readTime(text)
		if math.IsNaN(want) != (err != nil) || err == nil && math.Abs(got-want) > 1e-15 {
			t.Errorf("%q is %v, %v; want %v", text, got, err, want)
		}
	}
}

func TestInitsGrow(t *testing.T) {
	trace := "init internal/bytealg @0.005 ms, 0 ms clock, 0 bytes, 0 allocs\ninit example.com/m @1.2 ms, 3.5 ms clock, 1048576 bytes, 12 allocs\nPASS\n"
	got := readInits(trace)
	if i := got["example.com/m"]; len(got) != 2 || i.seconds != 3.5e-3 || i.bytes != 1<<20 {
		t.Fatalf("init is %+v", got)
	}
	of := func(i initialized) (all []initialized) {
		for range pairs {
			all = append(all, i)
		}
		return all
	}
	for _, test := range []struct {
		old, new []initialized
		grew     bool
	}{
		{nil, of(initialized{3.5e-3, 0}), true},
		{of(initialized{0, 100}), of(initialized{0, 1 << 20}), true},
		{of(initialized{3e-3, 1 << 20}), of(initialized{3.2e-3, 1 << 20}), false},
		{of(initialized{3e-3, 0}), nil, false},
	} {
		if _, _, grew := grown(test.old, test.new); grew != test.grew {
			t.Errorf("%v to %v: %v", test.old, test.new, grew)
		}
	}
}

func TestKeepsMemory(t *testing.T) {
	mega := func(v ...float64) (all []float64) {
		for _, x := range v {
			all = append(all, x*(1<<20))
		}
		return all
	}
	if _, _, kept := keeps(mega(1, 1, 1, 1, 1, 1), mega(9, 9, 9, 9, 9, 9)); !kept {
		t.Error("8 MB more are not found")
	}
	if _, _, kept := keeps(mega(1, 1, 10, 1, 1, 1), mega(9, 9, 9, 9, 9, 9)); kept {
		t.Error("a block had more before")
	}
}

func valueOf(f finding.Finding, name string) float64 {
	for k, v := range f.Values {
		if k == name {
			if n, ok := v.(float64); ok {
				return n
			}
		}
	}
	return math.NaN()
}
