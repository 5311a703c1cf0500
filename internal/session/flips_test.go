package session

import (
	"os"
	"path/filepath"
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
	if profileGuided(v) || !profileGuided(v, w) {
		t.Error("which variant has a profile is wrong")
	}
	if again, err := variant.Parse(w.Label); err != nil || len(again.Flags) != 2 {
		t.Errorf("the label is no variant: %v", err)
	}
	p := &prover{machineCode: &machineCode{scratch: t.TempDir()}}
	if _, err := p.replaced(withFlag(v, "-overlay=x"), "a.go", nil); err == nil {
		t.Error("a second overlay takes the place of the user's")
	}
}
