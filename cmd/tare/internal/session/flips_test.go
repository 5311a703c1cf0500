package session

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/build"
)

func TestInPackage(t *testing.T) {
	for _, test := range []struct{ pkg, wanted, want string }{
		{"example.com/m/a", "example.com/m/a", "/src/a"},
		{"example.com/m/a", "example.com/m/b/c", "/src/b/c"},
		{"example.com/m", "example.com/m/b", "/src/b"},
		{"example.com/m/a/x", "example.com/m", "/src"},
	} {
		dir := "/src" + strings.TrimPrefix(test.pkg, "example.com/m")
		if got := inPackage(filepath.FromSlash(dir), test.pkg, test.wanted); got != filepath.FromSlash(test.want) {
			t.Errorf("inPackage(%s, %s) = %s, want %s", test.pkg, test.wanted, got, test.want)
		}
	}
}

// TestForbidInlining checks that one caller alone calls a copy that is not
// inlined.
func TestForbidInlining(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	write := func(dir, name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(dir, "a.go", "//go:build slow\n\npackage x\n\nfunc field(x int) int { return 7 }\n")
	write(dir, "x.go", `package x

import "example.com/y"

// field is small.
func field(x int) int { return x }

type T struct{}

func (t *T) field() {}

func Gen[E any](e E) {}

func work(t *T) int {
	t.field()
	Gen(1)
	y.Field()
	return field(1) + field(2)
}

func rest() int { return field(3) }
`)
	write(other, "y.go", "package y\n\nfunc Field() {}\n")
	for _, test := range []struct {
		subject     string
		want, other []string // in x.go and in y.go
	}{
		{"example.com/x.field", []string{"return fieldTareNotInlined(1) + fieldTareNotInlined(2)\n", "return field(3)", "t.field()", "\n//go:noinline\nfunc fieldTareNotInlined(x int) int { return x }\n"}, nil},
		{"example.com/x.(*T).field", []string{"t.fieldTareNotInlined()", "return field(1) + field(2)", "\n//go:noinline\nfunc (t *T) fieldTareNotInlined() {}\n"}, nil},
		{"example.com/x.Gen[go.shape.int]", []string{"GenTareNotInlined(1)", "\n//go:noinline\nfunc GenTareNotInlined[E any](e E) {}\n"}, nil},
		{"example.com/y.Field", []string{"y.FieldTareNotInlined()"}, []string{"\n//go:noinline\nfunc FieldTareNotInlined() {}\n"}},
		{"example.com/x.none", nil, nil},
		{"example.com/x.rest", nil, nil}, // it is not called
	} {
		subjectDir := dir
		if strings.HasPrefix(test.subject, "example.com/y.") {
			subjectDir = other
		}
		changed, ok := forbidInlining(dir, subjectDir, "example.com/x.work", test.subject)
		if ok != (test.want != nil) {
			t.Errorf("%s: %t", test.subject, ok)
		}
		for _, text := range test.want {
			if content := string(changed[filepath.Join(dir, "x.go")]); !strings.Contains(content, text) {
				t.Errorf("%s: no %q in\n%s", test.subject, text, content)
			}
		}
		for _, text := range test.other {
			if content := string(changed[filepath.Join(other, "y.go")]); !strings.Contains(content, text) {
				t.Errorf("%s: no %q in\n%s", test.subject, text, content)
			}
		}
		for path, content := range changed {
			if _, err := parser.ParseFile(token.NewFileSet(), path, content, 0); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestDeclaration checks that build tags select the file.
func TestDeclaration(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.go": "//go:build slow\n\npackage x\n\nfunc f() {}\n", "b.go": "//go:build !slow\n\npackage x\n\nfunc f() {}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		tags []string
		want string
	}{{nil, "b.go"}, {[]string{"slow"}, "a.go"}} {
		if path, _, fn := declaration(dir, "example.com/x.f", test.tags...); fn == nil || filepath.Base(path) != test.want {
			t.Errorf("with %q: %s", test.tags, path)
		}
	}
}

func TestChangedVariants(t *testing.T) {
	v, err := build.Parse(".,flags=-race")
	if err != nil {
		t.Fatal(err)
	}
	w := withEnv(withFlag(v, "-pgo=off"), "GOGC=off")
	if w.Label != ".,flags=-race,flags=-pgo=off,env=GOGC=off" || len(w.Flags) != 2 || len(w.Env) != 1 || len(v.Flags) != 1 {
		t.Errorf("%+v from %+v", w, v)
	}
	if withoutCompilerFlags(v, w) != nil || withoutCompilerFlags(v, withFlag(w, "-gcflags=-N")) == nil {
		t.Error("which variant has compiler flags is wrong")
	}
	if again, err := build.Parse(w.Label); err != nil || len(again.Flags) != 2 {
		t.Errorf("the label is no variant: %v", err)
	}
	p := &prover{machineCode: &machineCode{scratch: t.TempDir()}}
	if _, err := p.replaced(withFlag(v, "-overlay=x"), files{"a.go": nil}); err == nil {
		t.Error("a second overlay takes the place of the user's")
	}
}

// TestHashesOf reads what go1.26 writes with -m -d=pgohash=vy.
func TestHashesOf(t *testing.T) {
	const text = `# example.com/x
example.com/x/work.go:15:13 (inline) [bisect-match 0xfc4afaaf86d2b9ef]
pgohash triggered example.com/x/work.go:15:13 (inline) 110100101011100111101111
example.com/x/work.go:12:6: can inline Work
example.com/x/x_test.go:9:15 (inline) [bisect-match 0xa564bd83515a902c]
pgohash triggered example.com/x/x_test.go:9:15 (inline) 010110101001000000101100
example.com/x/work.go:15:13 (inline) [bisect-match 0xfc4afaaf86d2b9ef]
pgohash triggered example.com/x/work.go:15:13 (inline) 110100101011100111101111
example.com/x/work.go:15:13: inlining call to field
example.com/x/work.go:16:13: inlining call to small
example.com/x/x_test.go:9:15: inlining call to Work
`
	for _, test := range []struct {
		file        string
		first, last int
		callee      string
		want        []string
	}{
		{"work.go", 12, 18, "example.com/x.field", []string{"fc4afaaf86d2b9ef"}},
		{"work.go", 12, 18, "example.com/x.small", nil}, // it is inlined without a profile
		{"work.go", 20, 28, "example.com/x.field", nil},
		{"x_test.go", 7, 11, "example.com/x.Work", []string{"a564bd83515a902c"}},
		{"x_test.go", 7, 11, "example.com/x.field", nil},
	} {
		if got := hashesOf(text, test.file, test.first, test.last, test.callee); !slices.Equal(got, test.want) {
			t.Errorf("%s in %s: %q, want %q", test.callee, test.file, got, test.want)
		}
	}
}

func TestLessInlined(t *testing.T) {
	const before = "a.go:3:6: can inline small\na.go:7:9: inlining call to small\na.go:8:2: x escapes to heap\n"
	for _, test := range []struct {
		after string
		want  bool
	}{
		{before, false},
		{"a.go:3:6: can inline small\na.go:5:6: can inline large\na.go:7:9: inlining call to small\na.go:9:9: inlining call to large\n", false},
		{"a.go:5:6: can inline large\na.go:7:9: inlining call to small\n", true}, // its caller is too large now
	} {
		if got := lessInlined(before, test.after); got != test.want {
			t.Errorf("%t of\n%s", got, test.after)
		}
	}
}

// TestDifferentProfiles compares profiles by what is in them.
func TestDifferentProfiles(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a, same, other := file("a.pgo", "1"), file("b/a.pgo", "1"), file("c/a.pgo", "2")
	for _, test := range []struct{ old, new, want string }{
		{"", "", ""}, {a, a, ""}, {a, same, ""},
		{a, other, "the contents of a.pgo differ"}, {a, "", "none, not a.pgo"}, {"", a, "a.pgo, not none"},
	} {
		if got := differentProfiles(test.old, test.new); got != test.want {
			t.Errorf("%q and %q: %q, want %q", test.old, test.new, got, test.want)
		}
	}
}

// TestWhyNotAlone: what the compiler says, without the name of a scratch file.
func TestWhyNotAlone(t *testing.T) {
	failed := &build.BuildError{Variant: "HEAD,flags=-overlay=/tmp/flip-1.json", Step: "compile", Package: "p", Output: "# example.com/p\n/tmp/flip-1-0-p.go:12:3: undefined: helper\n/tmp/flip-1-0-p.go:14:3: undefined: other\n"}
	for _, test := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("measure benchmarks: %w", failed), "it does not compile with the other changes: undefined: helper"},
		{&build.BuildError{Variant: "HEAD", Step: "check out", Output: "fatal: no such revision"}, "check out HEAD: fatal: no such revision"},
		{errors.New("measure benchmarks: no row\nmore"), "measure benchmarks: no row"},
	} {
		if got := whyNotAlone(test.err); got != test.want {
			t.Errorf("%v: %q, want %q", test.err, got, test.want)
		}
	}
}
