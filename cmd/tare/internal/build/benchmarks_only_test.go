package build

import (
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLeaveOut: what no benchmark reaches is blank, with the imports that only it
// uses, and the rest keeps its lines.
func TestLeaveOut(t *testing.T) {
	texts := []string{`package p

import (
	"os"
	str "strings"
	"testing"
)

var (
	in    = str.Fields(text)
	other = os.Args
)

const (
	text = "a b"
	more = "c"
)

type kept struct{}

func (k kept) Do() { used() }

type dropped struct{}

func (d *dropped) Do() { size() }

// TestSize has a comment.
func TestSize(t *testing.T) { size(); helper(); _ = other }

func helper() { size() }

func used() {}

func BenchmarkJoin(b *testing.B) {
	for range b.N {
		kept{}.Do()
		_ = in
	}
}
`, `package p

import "testing"

func FuzzSize(f *testing.F) { size() }

var _ = dropped{}
`}
	files := testFiles{fset: token.NewFileSet(), names: map[string]string{"os": "os", "strings": "strings", "testing": "testing"}}
	for _, text := range texts {
		file, err := parser.ParseFile(files.fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files.files, files.texts = append(files.files, file), append(files.texts, []byte(text))
	}
	got := files.leaveOut()
	if want := []string{"FuzzSize", "TestSize", "dropped", "helper", "other"}; !slices.Equal(got, want) {
		t.Errorf("left out %q, want %q", got, want)
	}
	for i, text := range texts {
		left := string(files.texts[i])
		if strings.Count(left, "\n") != strings.Count(text, "\n") {
			t.Errorf("file %d has other lines", i)
		}
		for _, word := range []string{"size", "\"os\"", "dropped", "comment"} {
			if strings.Contains(left, word) {
				t.Errorf("file %d still has %s:\n%s", i, word, left)
			}
		}
		if _, err := parser.ParseFile(token.NewFileSet(), "", left, 0); err != nil {
			t.Errorf("file %d: %v\n%s", i, err, left)
		}
	}
	for _, word := range []string{"BenchmarkJoin", "in    = str.Fields", "text = ", "func used", "kept) Do", "str \"strings\""} {
		if !strings.Contains(string(files.texts[0]), word) {
			t.Errorf("%s is gone", word)
		}
	}
}

// TestDifferentBenchmarks: a benchmark differs if what it reaches in the test
// files does, or a file that this names. Other tests and comments do not matter.
func TestDifferentBenchmarks(t *testing.T) {
	write := func(files map[string]string) Package {
		dir := t.TempDir()
		for name, text := range files {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		helper := &listed{ImportPath: "example.com/m/testhelp", Name: "testhelp", Dir: filepath.Join(dir, "testhelp")}
		return Package{Dir: dir, module: dir, tests: []string{filepath.Join(dir, "a_test.go")}, helpers: []*listed{helper}}
	}
	base := map[string]string{
		"a_test.go": `package p

import help "example.com/m/testhelp"

var input = make([]int, 10)

//go:embed testdata/embedded
var embedded string

func BenchmarkSized(b *testing.B) { use(input) }

func BenchmarkReads(b *testing.B) { read(filepath.Join("testdata", "in")) }

func BenchmarkReadsOne(b *testing.B) { read("testdata/one") }

func BenchmarkEmbeds(b *testing.B) { use(embedded) }

//go:embed all:files "testdata/a file"
var quoted embed.FS

func BenchmarkEmbedsAll(b *testing.B) { use(quoted) }

func BenchmarkGlobs(b *testing.B) { use(filepath.Glob("testdata/*.txt")) }

func BenchmarkHelped(b *testing.B) { use(help.Size) }

func BenchmarkPlain(b *testing.B) { use(".", "*", "p*", "../*") }

func TestPlain(t *testing.T) {}
`,
		"testdata/in": "1", "testdata/one": "1", "testdata/embedded": "1", "p.go": "package p",
		"testdata/a.txt": "1", "testdata/a file": "1", "files/_in": "1", "testhelp/size.go": "package testhelp\n\nconst Size = 10",
	}
	for _, c := range []struct {
		file, from, to string
		want           []string
	}{
		{"a_test.go", "int, 10", "int, 1000", []string{"BenchmarkSized"}},
		{"a_test.go", "func TestPlain(t *testing.T) {}", "// A comment.", nil},
		{"a_test.go", `use("."`, `use(".."`, []string{"BenchmarkPlain"}},
		{"testdata/in", "1", "2", []string{"BenchmarkReads"}},
		{"testdata/one", "1", "2", []string{"BenchmarkReads", "BenchmarkReadsOne"}},
		{"testdata/embedded", "1", "2", []string{"BenchmarkEmbeds", "BenchmarkReads"}},
		{"testdata/a.txt", "1", "2", []string{"BenchmarkGlobs", "BenchmarkReads"}},
		{"testdata/a file", "1", "2", []string{"BenchmarkEmbedsAll", "BenchmarkReads"}},
		{"files/_in", "1", "2", []string{"BenchmarkEmbedsAll"}},
		{"testhelp/size.go", "10", "1000", []string{"BenchmarkHelped"}},
		{"p.go", "p", "p // changed", nil},
	} {
		changed := maps.Clone(base)
		changed[c.file] = strings.Replace(base[c.file], c.from, c.to, 1)
		if got := DifferentBenchmarks(write(base), write(changed)); !slices.Equal(got, c.want) {
			t.Errorf("%s with %q: %q differ, want %q", c.file, c.to, got, c.want)
		}
	}
}

// TestInputsStayInTheModule: a string or a link of a revision leads to no file of the
// machine, and a file that is not built is not read.
func TestInputsStayInTheModule(t *testing.T) {
	dir := t.TempDir()
	for name, to := range map[string]string{"root": "/", "z_plan9_test.go": "/dev/zero"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	up, err := filepath.Rel(dir, outside)
	if err != nil {
		t.Fatal(err)
	}
	test := filepath.Join(dir, "a_test.go")
	text := fmt.Sprintf("package p\n\nfunc BenchmarkA(b *testing.B) { read(%q, %q, %q) }\n", filepath.ToSlash(up), "root"+filepath.ToSlash(outside), "root/proc/kcore")
	if err := os.WriteFile(test, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got := reaches(Package{Dir: dir, module: dir, tests: []string{test}})["BenchmarkA"]
	if want := strings.TrimSpace(strings.TrimPrefix(text, "package p\n\n")); got != want {
		t.Errorf("the benchmark reaches %q, want %q", got, want)
	}
}
