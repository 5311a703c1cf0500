//go:build lab

package ports

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// run runs a command and returns its standard output.
func run(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var words strings.Builder
	cmd.Stderr = &words
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s%s", cmd.Args, err, out, words.String())
	}
	return string(out)
}

func repository(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../../../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// copySample makes a module of samples/greeting below a directory.
func copySample(t *testing.T, dir string) string {
	t.Helper()
	sample := filepath.Join(dir, "sample")
	if err := os.CopyFS(sample, os.DirFS(filepath.Join(repository(t), "samples", "greeting"))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(sample, "go.mod"), []byte("module example.org/greeting\n\ngo 1.24\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return sample
}

// linkTree makes a directory of links to what another has, except some paths.
func linkTree(t *testing.T, from, to string, except ...string) {
	t.Helper()
	names, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		var below []string
		for _, path := range except {
			if rest, ok := strings.CutPrefix(path+"/", name.Name()+"/"); ok {
				below = append(below, strings.TrimSuffix(rest, "/"))
			}
		}
		switch {
		case slices.Contains(below, ""):
		case below != nil:
			linkTree(t, filepath.Join(from, name.Name()), filepath.Join(to, name.Name()), below...)
		default:
			if err := os.Symlink(filepath.Join(from, name.Name()), filepath.Join(to, name.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// changedRoot makes a GOROOT in which a text of one file is another. It links to the
// rest, except some paths.
func changedRoot(t *testing.T, root, file, old, new string, except ...string) {
	t.Helper()
	linkTree(t, runtime.GOROOT(), root, append(except, file)...)
	text, err := os.ReadFile(filepath.Join(runtime.GOROOT(), file))
	if err != nil || !strings.Contains(string(text), old) {
		t.Fatalf("%s has no %q: %v", file, old, err)
	}
	if err := os.WriteFile(filepath.Join(root, file), []byte(strings.ReplaceAll(string(text), old, new)), 0o600); err != nil {
		t.Fatal(err)
	}
}
