package machine

import (
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite testdata/facts")

// composed is a tree from testdata whose files change when the window passes.
type composed struct {
	fs.FS
	passed *bool
}

func (c composed) Open(name string) (fs.File, error) {
	if *c.passed {
		if f, err := c.FS.Open("after/" + name); err == nil {
			if info, err := f.Stat(); err == nil && !info.IsDir() {
				return f, nil
			}
			f.Close()
		}
	}
	return c.FS.Open(name)
}

func openTree(t testing.TB, name string) (root composed, want string) {
	t.Helper()
	ar, err := txtar.ParseFile(filepath.Join("testdata", "trees", name+".txtar"))
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
	return composed{files, new(bool)}, want
}

func treeNames(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/trees/*.txtar")
	if err != nil || len(files) < 6 {
		t.Fatalf("found %d trees (%v), want 6 or more", len(files), err)
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(f), ".txtar"))
	}
	return names
}

// TestTrees: on every tree all that is wanted is found, and nothing else.
func TestTrees(t *testing.T) {
	for _, name := range treeNames(t) {
		t.Run(name, func(t *testing.T) {
			root, want := openTree(t, name)
			o := Observe(root, func() { *root.passed = true })
			var got strings.Builder
			for _, f := range Findings(&o) {
				got.WriteString(string(f.Severity) + " " + f.ID + " " + f.Subject + "\n")
				if f.Message == "" || f.Action == "" {
					t.Errorf("%s has no message or no next action: %+v", f.ID, f)
				}
			}
			if diff := cmp.Diff(want, got.String()); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTreeFacts compares all facts with testdata/facts, which was read by eye.
func TestTreeFacts(t *testing.T) {
	for _, name := range treeNames(t) {
		t.Run(name, func(t *testing.T) {
			root, _ := openTree(t, name)
			m := Facts(root)
			m.OS, m.Arch = "", "" // those of the test
			got, err := json.MarshalIndent(m, "", "\t")
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", "facts", name+".json")
			if *update {
				if err := os.WriteFile(file, append(got, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)+"\n"); diff != "" {
				t.Errorf("facts (-want +got), rewrite with -update:\n%s", diff)
			}
		})
	}
}

// TestEmptyTree: where nothing can be read, nothing is claimed.
func TestEmptyTree(t *testing.T) {
	root := os.DirFS(t.TempDir())
	o := Observe(root, func() {})
	if got := Findings(&o); len(got) != 0 {
		t.Errorf("an empty tree has findings: %v", got)
	}
	if o.Machine.Virtual != "" || o.Machine.Power != "" || o.Machine.CPU.Boost != nil || o.Machine.Cgroup.Version != 0 {
		t.Errorf("an empty tree has facts: %+v", o.Machine)
	}
}
