package samecode

import (
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestChanges checks what is said of functions whose code differs.
func TestChanges(t *testing.T) {
	base, err := txtar.ParseFile("testdata/module.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var reader Reader
	old := compile(t, &reader, unpack(t, base.Files), "./a")
	builtins := Builtins(runtime.GOROOT())
	changes := func(edit, benchmark string) map[string]FunctionChange {
		t.Helper()
		for _, e := range edits {
			if e.name != edit {
				continue
			}
			c := Compare(old, compile(t, &reader, unpack(t, e.apply(t, base.Files)), "./a"))
			all := make(map[string]FunctionChange)
			for _, f := range c.Changes("Benchmark"+benchmark, builtins) {
				all[f.Name] = f
			}
			return all
		}
		t.Fatalf("no edit %q", edit)
		return nil
	}
	const pkg = "example.com/m/"

	got := changes("no longer inlined two packages away", "Inlined")
	if len(got) != 3 {
		t.Errorf("%d functions differ, want 3: %v", len(got), got)
	}
	f := got[pkg+"a.BenchmarkInlined"]
	if f.Old.Inlined[pkg+"c.Scale"] == 0 || f.New.Inlined[pkg+"c.Scale"] != 0 || f.New.Calls[pkg+"b.Twice"] != 1 {
		t.Errorf("inlining is not seen: %+v, %+v", f.Old, f.New)
	}
	if f.Old.Line == 0 || filepath.Base(f.Old.File) != "a_test.go" || f.Old.Instructions >= f.New.Instructions {
		t.Errorf("place or size is wrong: %+v, %+v", f.Old, f.New)
	}
	if f := got[pkg+"c.Scale"]; f.Old != nil || f.New == nil {
		t.Errorf("a function that is no longer inlined: %+v", f)
	}
	if f := got[pkg+"b.Twice"]; f.New == nil || f.New.Calls[pkg+"c.Scale"] != 2 {
		t.Errorf("calls are not counted: %+v", f.New)
	}

	f = changes("escape", "Generic")[pkg+"a.BenchmarkGeneric"]
	if f.Old == nil || f.Old.Calls["runtime.newobject"] != 0 || f.New.Calls["runtime.newobject"] != 1 {
		t.Errorf("an allocation is not seen: %+v, %+v", f.Old, f.New)
	}
	if got := changes("comment at the top", "Generic"); len(got) != 0 {
		t.Errorf("a comment changes %v", got)
	}
}
