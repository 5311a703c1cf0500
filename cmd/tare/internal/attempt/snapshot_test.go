package attempt

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// repository is one with a commit of main.go, and an ignored file.
func repository(t *testing.T) (dir string, git func(args ...string) string) {
	t.Helper()
	dir = t.TempDir()
	git = func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	write(t, dir, "main.go", "package main\n")
	write(t, dir, ".gitignore", "*.out\n")
	write(t, dir, "ignored.out", "x")
	git("add", ".")
	git("commit", "-q", "-m", "one")
	return dir, git
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func openTrees(t *testing.T, dir string) *Trees {
	t.Helper()
	trees, err := OpenTrees(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { trees.Close() })
	return trees
}

// A snapshot has the files as they are: changed, untracked and not ignored ones.
// Neither the user's index nor the checkout changes, and garbage collection
// leaves what a session holds.
func TestSnapshotKeepsTheWorkingTree(t *testing.T) {
	dir, git := repository(t)
	write(t, dir, "main.go", "package main // staged\n")
	git("add", "main.go")
	write(t, dir, "main.go", "package main // changed\n")
	write(t, dir, "sub/new.go", "package sub\n")
	before := git("status", "--porcelain") + git("diff", "--cached")

	trees := openTrees(t, filepath.Join(dir, "sub"))
	tree, err := trees.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if files := git("ls-tree", "-r", "--name-only", tree); files != ".gitignore\nmain.go\nsub/new.go" {
		t.Errorf("the tree has %q", files)
	}
	if text := git("show", tree+":main.go"); text != "package main // changed" {
		t.Errorf("main.go is %q", text)
	}
	if after := git("status", "--porcelain") + git("diff", "--cached"); after != before {
		t.Errorf("the checkout was %q, is %q", before, after)
	}
	head, err := trees.Commit(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	first, err := trees.Keep(t.Context(), tree, head, "attempt 1")
	if err != nil {
		t.Fatal(err)
	}
	if second, err := trees.Keep(t.Context(), tree, head, "attempt 1"); err != nil || second != first {
		t.Errorf("a second commit of the tree is %s, the first %s: %v", second, first, err)
	}
	if err := trees.Hold(t.Context(), "s", first); err != nil {
		t.Fatal(err)
	}
	git("gc", "-q", "--prune=now")
	if text := git("show", first+":sub/new.go"); text != "package sub" {
		t.Errorf("after gc sub/new.go is %q", text)
	}
	changed, err := trees.Changed(t.Context(), head, first)
	if err != nil || !slices.Equal(changed, []string{"main.go", "sub/new.go"}) {
		t.Errorf("changed are %q: %v", changed, err)
	}
}

func TestCommitOfNothing(t *testing.T) {
	dir, _ := repository(t)
	if _, err := openTrees(t, dir).Commit(t.Context(), "nothing"); err == nil || !strings.Contains(err.Error(), "-best") {
		t.Errorf("error is %v", err)
	}
	if _, err := OpenTrees(t.Context(), t.TempDir()); err == nil {
		t.Error("a directory outside of a repository has trees")
	}
}

// What git refuses has a next step.
func TestGitRefusesToKeep(t *testing.T) {
	dir, git := repository(t)
	trees := openTrees(t, dir)
	git("update-ref", "refs/tare/try", "HEAD")
	if err := trees.Hold(t.Context(), "s", git("rev-parse", "HEAD")); err == nil || !strings.Contains(err.Error(), "git update-ref -d refs/tare/try") {
		t.Error(err)
	}
	if err := trees.Release(t.Context(), "s"); err != nil { // it has none
		t.Error(err)
	}
	git("config", "core.autocrlf", "true")
	git("config", "core.safecrlf", "true")
	write(t, dir, "mixed.txt", "a\nb\r\n")
	if _, err := trees.Snapshot(t.Context()); err != nil {
		t.Error(err)
	}
	git("init", "-q", "nested")
	if _, err := trees.Snapshot(t.Context()); err == nil || !strings.Contains(err.Error(), ".git/info/exclude") {
		t.Error(err)
	}
}
