package machine

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// treesDir has the recorded and composed machines.
const treesDir = "testdata/trees"

// testTree is the root of a composed machine. Its files change when the window in
// which the machine is watched has passed.
type testTree struct {
	fs.FS
	passed *bool
}

// pass ends the window: from now on the files below "after" replace the others.
func (t testTree) pass() { *t.passed = true }

// Open implements [fs.FS].
func (t testTree) Open(name string) (fs.File, error) {
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

// openTree reads one tree, and the findings that are wanted of it.
func openTree(t testing.TB, name string) (root testTree, want string) {
	t.Helper()
	ar, err := txtar.ParseFile(filepath.Join(treesDir, name+".txtar"))
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
	return testTree{files, new(bool)}, want
}

// treeNames lists the trees.
func treeNames(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(treesDir, "*.txtar"))
	if err != nil || len(files) < 6 {
		t.Fatalf("found %d trees (%v), want 6 or more", len(files), err)
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(f), ".txtar"))
	}
	return names
}
