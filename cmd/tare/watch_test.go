package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/fsnotify/fsnotify"
)

// TestSavesThatCount: a file counts unless git ignores it, a tool wrote it for itself,
// or it came and went.
func TestSavesThatCount(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	t.Chdir(t.TempDir())
	if out, err := exec.Command("git", "init", "-q", ".").CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	for name, text := range map[string]string{".gitignore": "*.log\n/out/\n", "m.go": "", "template.html": "", "a.log": "", ".m.go.swp": ""} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"testdata/deep", "out", ".tare"} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(dir+"/x.bin", nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	watched := make(map[string]bool)
	v := newSaves(func(dir string) error { watched[dir] = true; return nil })
	if _, err := v.watch(t.Context(), "."); err != nil {
		t.Fatal(err)
	}
	if !watched["testdata/deep"] || watched["out"] || watched[".git"] || watched[".tare"] {
		t.Errorf("the watched directories are %v", watched)
	}
	for _, test := range []struct {
		name string
		op   fsnotify.Op
		want bool
	}{
		{"m.go", fsnotify.Write, true},
		{"./template.html", fsnotify.Write, true},
		{"testdata/deep/x.bin", fsnotify.Create, true},
		{"testdata", fsnotify.Create, true}, // with its files
		{"removed.go", fsnotify.Remove, true},
		{".gitignore", fsnotify.Write, true},
		{"m.go", fsnotify.Chmod, false},
		{"a.log", fsnotify.Write, false},
		{"out/x.bin", fsnotify.Create, false},
		{"temporary", fsnotify.Create, false},
		{".m.go.swp", fsnotify.Write, false},
		{"m.go~", fsnotify.Create, false},
		{".tare", fsnotify.Create, false},
	} {
		v.event(t.Context(), fsnotify.Event{Name: test.name, Op: test.op})
		if got, err := v.saved(t.Context()); got != test.want || err != nil {
			t.Errorf("%v of %s is a save: %v, want %v (%v)", test.op, test.name, got, test.want, err)
		}
	}
	v.event(t.Context(), fsnotify.Event{Name: "m.go", Op: fsnotify.Write})
	v.begin()
	if got, _ := v.saved(t.Context()); got || len(v.more) > 0 {
		t.Error("what was written before a comparison began starts another")
	}
}

// TestLostEventsAreASave: the watch goes on if the system drops events, since one of
// them may be a save.
func TestLostEventsAreASave(t *testing.T) {
	v := newSaves(nil)
	v.failed(fsnotify.ErrEventOverflow)
	if err := v.wait(t.Context()); err != nil || t.Context().Err() != nil {
		t.Errorf("wait: %v", err)
	}
	broken := errors.New("broken")
	v.failed(broken)
	if err := v.wait(t.Context()); !errors.Is(err, broken) {
		t.Errorf("wait: %v, want %v", err, broken)
	}
}

// TestWatchEndsDuringComparison: after Ctrl-C in a comparison, tare does not say that
// it waits.
func TestWatchEndsDuringComparison(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	var b bytes.Buffer
	err := runWatch(ctx, streams{err: &b}, func() error { cancel(); return nil })
	if err != nil || strings.Contains(b.String(), "waiting") {
		t.Errorf("%v\n%s", err, &b)
	}
}
