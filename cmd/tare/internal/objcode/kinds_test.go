package objcode

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/tarebench/tare/cmd/tare/internal/test/objects"
)

// edit is one change of the module in testdata.
type edit struct {
	name string
	// file, old, new: a replacement in a file. An empty old is a new file.
	file, old, new string
	// more are further replacements, three strings each.
	more []string
	args []string
	// differ lists the benchmarks that must be measured, or "all".
	differ string
	// what, when not empty, begins what must be said to differ.
	what string
}

var edits = []edit{
	{name: "nothing"},
	{name: "comment at the top", file: "a/a.go", old: "package a\n", new: "// Package a has\n// a comment.\n\npackage a\n"},
	{name: "comment in a function", file: "c/c.go", old: "\tfor _, x", new: "\t// Add\n\t// all.\n\tfor _, x"},
	{name: "function renamed", file: "a/a.go", old: "func helper(", new: "func assistant(", more: []string{"a/a_test.go", "helper(i)", "assistant(i)"}},
	{name: "variable renamed", file: "a/a.go", old: "var table ", new: "var numbers ", more: []string{"a/a_test.go", "table[", "numbers["}},
	{name: "other package", file: "d/d.go", old: "return 1", new: "return 2"},
	{name: "test only", file: "a/a_test.go", old: "== \"\" {", new: "== \"x\" {"},
	{name: "test added", file: "a/more_test.go", new: "package a\n\nimport \"testing\"\n\nfunc TestMore(t *testing.T) { t.Log(Square{3}.Unused()) }\n"},
	{name: "benchmark added", file: "a/more_test.go", new: "package a\n\nimport \"testing\"\n\nfunc BenchmarkMore(b *testing.B) {\n\tfor range b.N {\n\t\tsink++\n\t}\n}\n"},
	{name: "declarations reordered", file: "a/a.go", old: "func constant(x int) int { return x % limit }\n", new: "", more: []string{"a/a.go", "func half(x", "func constant(x int) int { return x % limit }\n\nfunc half(x"}},
	{name: "function that nothing calls", file: "a/a.go", old: "func half(x", new: "func never(x int) int { return x << 3 }\n\nfunc half(x"},
	{name: "text of an error of a test", file: "a/a.go", old: "failed: ", new: "failed, alas: "},
	{name: "constant", file: "a/a.go", old: "limit = 100", new: "limit = 101", differ: "Constant"},
	{name: "body of a function", file: "a/a.go", old: "return x - 3", new: "return x - 4", differ: "Helper"},
	{name: "inlined two packages away", file: "c/c.go", old: "x*3 + 1", new: "x*5 + 1", differ: "Inlined"},
	{name: "no longer inlined two packages away", file: "c/c.go", old: "func Scale", new: "//go:noinline\nfunc Scale", differ: "Inlined"},
	{name: "generic function", file: "c/c.go", old: "sum += x", new: "sum -= x", differ: "Generic"},
	{name: "assembly", file: "a/add_amd64.s", old: "ADDQ", new: "SUBQ", differ: "Assembly"},
	{name: "linkname", file: "c/c.go", old: "x ^ 5", new: "x ^ 6", differ: "Linkname"},
	{name: "build tag", args: []string{"-tags=slow"}, differ: "Step"},
	{name: "embedded file", file: "a/text.txt", old: "some", new: "more", differ: "Text"},
	{name: "dependency, unused part", file: "dep/dep.go", old: "x / 3", new: "x / 5"},
	{name: "dependency, used part", file: "dep/dep.go", old: "x / 2", new: "x / 4", differ: "Dependency"},
	{name: "init function", file: "a/a.go", old: "started = 1", new: "started = 2", differ: "all"},
	{name: "initialization of a variable", file: "a/a_test.go", old: "Getenv(\"NAME\")", new: "Getenv(\"FIRST\")", differ: "all"},
	{name: "package with an init function added", file: "d/d.go", old: "func Un", new: "var X int\n\nfunc init() { X = len(Y()) }\n\n//go:noinline\nfunc Y() string { return \"a\" }\n\nfunc Un", more: []string{"a/a.go", "import (", "import (\n\t_ \"example.com/m/d\""}, differ: "all"},
	{name: "initial data", file: "a/a.go", old: "7, 8}", new: "7, 9}", differ: "Table"},
	{name: "map literal", file: "a/a.go", old: "\"two\": 2", new: "\"two\": 3", differ: "all"},
	{name: "method called through an interface", file: "a/a.go", old: "s.side * s.side", new: "s.side + s.side", differ: "Method Shape"},
	{name: "method that only reflection can call", file: "a/a.go", old: "Unused() int { return s.side }", new: "Unused() int { return -s.side }", differ: "Method"},
	{name: "function in a table", file: "a/a.go", old: "return x - 1 }", new: "return x - 2 }", differ: "Operation", what: "machine code"},
	{name: "function in a variable", file: "a/a.go", old: "x ^ 9", new: "x ^ 8", differ: "Current", what: "machine code"},
	{name: "stack map", file: "a/spill.go", old: "word = uintptr", new: "word = unsafe.Pointer", differ: "Stack", what: "reference to gclocals"},
	{name: "method added", file: "a/a.go", old: "func (s Square) Unused", new: "func (s Square) Added() int { return 2 }\n\nfunc (s Square) Unused", differ: "Method Shape"},
	{name: "method added to the interface", file: "a/a.go", old: "Area() int }", new: "Area() int; Unused() int }", differ: "Shape"},
	{name: "closure", file: "a/a.go", old: "x + 7", new: "x + 8", differ: "Closure"},
	{name: "TestMain", file: "a/a_test.go", old: "started++", new: "started--", differ: "all"},
	{name: "tag of a field", file: "a/a.go", old: "json:\"name\"", new: "json:\"Name\"", differ: "Reflect"},
	{name: "type of a field", file: "a/a.go", old: "Age  int ", new: "Age  int8 ", differ: "Reflect"},
	{name: "large global", file: "a/more_test.go", new: "package a\n\nimport \"testing\"\n\nvar large [4096]*int\n\nfunc TestLarge(t *testing.T) { large[t.Name()[0]] = new(int) }\n", differ: "all"},
	{name: "body of a sub-benchmark", file: "a/a_test.go", old: "i * n", new: "i - n", differ: "Sub"},
	{name: "benchmark itself", file: "a/a_test.go", old: "i * 17", new: "i * 19", differ: "Plain"},
	{name: "system call", file: "a/a_test.go", old: "sink += i * 17", new: "sink += i * syscall.Getpid()", more: []string{"a/a_test.go", "import (", "import (\n\t\"syscall\""}, differ: "Plain"},
	{name: "escape", file: "a/a.go", old: "func total(list []int) int {", new: "var kept []int\n\nfunc total(list []int) int {\n\tkept = list\n", differ: "Generic"},
}

// names are the benchmarks of the module.
var names = strings.Fields("Assembly Closure Constant Current Dependency Generic Helper Inlined Linkname Method Names Operation Plain Reflect Shape Stack Step Sub Table Text Write")

// TestKinds builds a module before and after changes of each kind. A benchmark
// that a change reaches must never be called the same, and one that it does not
// reach should be.
func TestKinds(t *testing.T) {
	base, err := txtar.ParseFile("testdata/module.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var reader Reader
	dir := unpack(t, base.Files)
	old := compile(t, &reader, dir, "./a")
	for _, e := range edits {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel() // it waits for the go command
			dir := unpack(t, e.apply(t, base.Files))
			changed := compile(t, &reader, dir, "./a", e.args...)
			c := Compare(old, changed)
			if got, want := c.Benchmarks(), len(names); len(got) != want {
				t.Fatalf("benchmarks %v, want %d", got, want)
			}
			want := strings.Fields(e.differ)
			if e.differ == "all" {
				want = names
			}
			verdicts := make(map[string]Verdict)
			for _, name := range names {
				v := c.Benchmark("Benchmark" + name)
				verdicts[name] = v
				switch differs := slices.Contains(want, name); {
				case v.Same && differs:
					t.Errorf("%s: same code, but the change reaches it", name)
				case !v.Same && !differs:
					t.Errorf("%s: %s, but the change does not reach it", name, v.Why)
				case !v.Same && e.what != "" && !strings.HasPrefix(v.What, e.what):
					t.Errorf("%s: %s differs, want %s", name, v.What, e.what)
				case !v.Same:
					t.Logf("%s: %s", name, v.Why)
				}
				if v.Outside != "" {
					t.Errorf("%s: %s asks the system", name, v.Outside)
				}
			}
			// What was looked at before does not matter.
			c = Compare(old, changed)
			for _, name := range slices.Backward(names) {
				if v := c.Benchmark("Benchmark" + name); v.Same != verdicts[name].Same || v.Outside != verdicts[name].Outside {
					t.Errorf("%s: %+v, in the other order %+v", name, verdicts[name], v)
				}
			}
		})
	}
}

// apply returns the module after the change.
func (e edit) apply(t *testing.T, files []txtar.File) []txtar.File {
	t.Helper()
	files = slices.Clone(files)
	replace := func(file, old, new string) {
		for i := range files {
			if files[i].Name == file && old != "" && bytes.Contains(files[i].Data, []byte(old)) {
				files[i].Data = bytes.Replace(files[i].Data, []byte(old), []byte(new), 1)
				return
			}
		}
		if old != "" {
			t.Fatalf("%s does not contain %q", file, old)
		}
		files = append(files, txtar.File{Name: file, Data: []byte(new)})
	}
	if e.file != "" {
		replace(e.file, e.old, e.new)
	}
	for more := range slices.Chunk(e.more, 3) {
		replace(more[0], more[1], more[2])
	}
	return files
}

// TestOutside checks that a benchmark that opens files past package os is
// marked, and no other.
func TestOutside(t *testing.T) {
	base, err := txtar.ParseFile("testdata/module.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var reader Reader
	e := edit{
		file: "a/a_test.go", old: "sink += i * 17", new: "sink += i * opened()",
		more: []string{
			"a/a_test.go", "import (", "import (\n\t\"os/exec\"\n\t\"syscall\"",
			"a/a_test.go", "sink += helper(i)", "sink += helper(i) + len(exec.Command(\"x\").Run().Error())",
			"a/a_test.go", "var sink int", "var sink int\n\nfunc opened() int {\n\tfd, _ := syscall.Open(\"x\", 0, 0)\n\treturn int(fd)\n}",
		},
	}
	p := compile(t, &reader, unpack(t, e.apply(t, base.Files)), "./a")
	c := Compare(p, p)
	for _, name := range c.Benchmarks() {
		v := c.Benchmark(name)
		if !v.Same {
			t.Errorf("%s differs from itself: %s", name, v.Why)
		}
		if want := name == "BenchmarkPlain" || name == "BenchmarkHelper"; (v.Outside != "") != want {
			t.Errorf("%s: outside %q", name, v.Outside)
		}
	}
}

// TestOpenTogether checks that programs that are opened at the same time share
// the archives that they have in common.
func TestOpenTogether(t *testing.T) {
	dir, args := objects.Compile(t, "../../../..", "./internal/unit")
	for range 2 {
		var reader Reader
		var programs [4]*Program
		var opened sync.WaitGroup
		for i := range programs {
			opened.Go(func() { programs[i], _ = reader.Open(dir, args) })
		}
		opened.Wait()
		for _, p := range programs[1:] {
			if c := Compare(programs[0], p); c.Why != "" {
				t.Fatalf("a program differs from itself: %s", c.Why)
			}
		}
	}
}

// TestLinkerArguments checks that other arguments of the linker make all
// measured, and that the default of GODEBUG leaves the code to look at.
func TestLinkerArguments(t *testing.T) {
	dir, args := objects.Compile(t, "../../../..", "./internal/unit")
	var reader Reader
	open := func(more ...string) *Program {
		t.Helper()
		p, err := reader.Open(dir, append(more, args...))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	old := open()
	for flag, settings := range map[string]bool{"-s": true, "-X=runtime.godebugDefault=panicnil=1": false} {
		c := Compare(old, open(flag))
		if c.Why == "" || c.Settings != settings {
			t.Errorf("%s: %q, settings %t", flag, c.Why, c.Settings)
		}
		for _, name := range c.Benchmarks() {
			if c.Benchmark(name).Same {
				t.Errorf("%s: %s is the same code", flag, name)
			}
			if before, after := c.Functions(name, nil); (len(before) == 0) != settings || (len(after) == 0) != settings {
				t.Errorf("%s: %d and %d functions of %s", flag, len(before), len(after), name)
			}
		}
	}
}

// TestNotUnderstood checks that what cannot be read is an error.
func TestNotUnderstood(t *testing.T) {
	dir := unpack(t, []txtar.File{
		{Name: "importcfg", Data: []byte("packagefile runtime=short.a\n")},
		{Name: "empty.a", Data: []byte("!<arch>\n")},
		{Name: "short.a", Data: []byte("!<arch>\n_go_.o          0           0     0     644     5         `\ngo obx")},
		{Name: "shared", Data: []byte("packageshlib runtime=libstd.so\n")},
	})
	for _, args := range [][]string{
		{},
		{"main.a"},
		{"-importcfg", "importcfg", "missing.a"},
		{"-importcfg", "importcfg", "short.a"},
		{"-importcfg", "importcfg", "empty.a"},
		{"-importcfg", "shared", "empty.a"},
		{"-importcfg", "importcfg", "-linkshared", "empty.a"},
		{"-importcfg", "importcfg", "-buildmode=c-shared", "empty.a"},
	} {
		if _, err := new(Reader).Open(dir, args); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}
