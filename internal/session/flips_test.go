package session

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/variant"
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

// TestForbidInlining checks that the directive stands before the one function
// that is meant.
func TestForbidInlining(t *testing.T) {
	dir := t.TempDir()
	source := "package x\n\n// field is small.\nfunc field(x int) int { return x }\n\ntype T[E any] struct{}\n\nfunc (t *T[E]) field() {}\n\nfunc Gen[E any](e E) {}\n\nfunc assembly()\n"
	if err := os.WriteFile(filepath.Join(dir, "x.go"), []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	for symbol, want := range map[string]string{
		"example.com/x.field":                    "small.\n//go:noinline\nfunc field(",
		"example.com/x.(*T[go.shape.int]).field": "",
		"example.com/x.Gen[go.shape.int]":        "//go:noinline\nfunc Gen[",
		"example.com/x.assembly":                 "",
		"example.com/x.none":                     "",
	} {
		_, content, ok := forbidInlining(dir, symbol)
		if ok != (want != "") || !strings.Contains(string(content), want) || ok && strings.Count(string(content), "go:noinline") != 1 {
			t.Errorf("%s: %t\n%s", symbol, ok, content)
		}
	}
}

func TestChangedVariants(t *testing.T) {
	v, err := variant.Parse(".,flags=-race")
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
	if again, err := variant.Parse(w.Label); err != nil || len(again.Flags) != 2 {
		t.Errorf("the label is no variant: %v", err)
	}
	p := &prover{machineCode: &machineCode{scratch: t.TempDir()}}
	if _, err := p.replaced(withFlag(v, "-overlay=x"), "a.go", nil); err == nil {
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
