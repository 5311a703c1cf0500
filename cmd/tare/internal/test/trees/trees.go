// Package trees opens the recorded and composed machines of
// internal/machine/testdata/trees for tests.
package trees

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// dir is seen from the folder of any package directly below internal.
const dir = "../machine/testdata/trees"

// Tree is the root of a composed machine. Its files change when the window in
// which the machine is watched has passed.
type Tree struct {
	fs.FS
	passed *bool
}

// Pass ends the window: from now on the files below "after" replace the others.
func (t Tree) Pass() { *t.passed = true }

// Open implements [fs.FS].
func (t Tree) Open(name string) (fs.File, error) {
	if *t.passed {
		if f, err := t.FS.Open("after/" + name); err == nil {
			if info, err := f.Stat(); err == nil && !info.IsDir() {
				return f, nil
			}
			f.Close()
		}
	}
	return t.FS.Open(name)
}

// Open reads one tree, and the findings that are wanted of it.
func Open(t testing.TB, name string) (root Tree, want string) {
	t.Helper()
	ar, err := txtar.ParseFile(filepath.Join(dir, name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range ar.Files {
		if f.Name == "want/findings" {
			want = string(f.Data)
		}
	}
	files, err := txtar.FS(ar)
	if err != nil {
		t.Fatal(err)
	}
	return Tree{files, new(bool)}, want
}

// Names lists the trees.
func Names(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) < 6 {
		t.Fatalf("found %d trees (%v), want 6 or more", len(files), err)
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(f), ".txtar"))
	}
	return names
}
