package objcode

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestFunctions checks the descriptions of functions.
func TestFunctions(t *testing.T) {
	base, err := txtar.ParseFile("testdata/module.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var reader Reader
	old := compile(t, &reader, unpack(t, base.Files), "./a")
	builtins := Builtins(goroot(t))
	functions := func(edit, benchmark string) (before, after map[string]*Function) {
		t.Helper()
		for _, e := range edits {
			if e.name == edit {
				c := Compare(old, compile(t, &reader, unpack(t, e.apply(t, base.Files)), "./a"))
				return c.Functions("Benchmark"+benchmark, builtins)
			}
		}
		t.Fatalf("no edit %q", edit)
		return nil, nil
	}
	const pkg = "example.com/m/"

	before, after := functions("no longer inlined two packages away", "Inlined")
	f, g := before[pkg+"b.Twice"], after[pkg+"b.Twice"]
	if f == nil || f.Inlined[pkg+"c.Scale"] == 0 || f.Calls[pkg+"c.Scale"] != 0 || f.Frame != 0 {
		t.Errorf("old: %+v", f)
	}
	if g == nil || g.Inlined[pkg+"c.Scale"] != 0 || g.Calls[pkg+"c.Scale"] != 2 || g.Frame == 0 || !g.Changed {
		t.Errorf("new: %+v", g)
	}
	if s := g.Sites[pkg+"c.Scale"]; filepath.Base(s.File) != "b.go" || s.Line != 5 {
		t.Errorf("c.Scale is called at %v", s)
	}
	if h := after[pkg+"a.BenchmarkInlined"]; filepath.Base(h.File) != "a_test.go" || h.Line == 0 || h.Instructions == 0 {
		t.Errorf("place or length is wrong: %+v", h)
	}

	before, after = functions("escape", "Generic")
	f, g = before[pkg+"a.BenchmarkGeneric"], after[pkg+"a.BenchmarkGeneric"]
	if f.Calls["runtime.newobject"] != 0 || g.Calls["runtime.newobject"] != 1 {
		t.Errorf("an allocation is not seen: %+v, %+v", f, g)
	}
	before, after = functions("comment at the top", "Generic")
	if len(before) == 0 || len(after) == 0 {
		t.Error("no functions")
	}
	for _, f := range after {
		if f.Changed {
			t.Errorf("a comment changes %s", f.Name)
		}
	}
}

// goroot is the GOROOT of the go command, whose library the tests compile against.
func goroot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
