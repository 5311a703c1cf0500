package explain

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/build"
)

func TestChangedVariants(t *testing.T) {
	v, err := build.Parse(".,flags=-race")
	if err != nil {
		t.Fatal(err)
	}
	w := withEnv(withFlag(v, "-pgo=off"), "GOGC=off")
	if w.Label != ".,flags=-race,flags=-pgo=off,env=GOGC=off" || len(w.Flags) != 2 || len(w.Env) != 1 || len(v.Flags) != 1 {
		t.Errorf("%+v from %+v", w, v)
	}
	if again, err := build.Parse(w.Label); err != nil || len(again.Flags) != 2 {
		t.Errorf("the label is no variant: %v", err)
	}
	p := new(prover)
	if _, err := p.replaced(withFlag(v, "-overlay=x"), files{"a.go": nil}); err == nil {
		t.Error("a second overlay takes the place of the user's")
	}
}

// TestDifferentProfiles compares profiles by their contents.
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

// TestWhyNotAlone: the message of the compiler, without the name of a scratch
// file.
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
