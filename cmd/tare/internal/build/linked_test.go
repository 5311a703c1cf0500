package build

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A second command links nothing of a commit that the first one linked.
func TestLinksOfCommitsAreKept(t *testing.T) {
	t.Parallel()
	repo := tree(t, t.TempDir(), answer("x"))
	head := commit(t, repo, "one")
	cache, temp := t.TempDir(), t.TempDir() // the path of a worktree is in its binaries
	links := func(variant string, seeds ...uint64) int {
		t.Helper()
		b := &Builder{Dir: repo, Cache: cache, Temp: temp, KeepLinks: true}
		defer func() {
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		}()
		v := open(t, b, variant)
		ran := commands(b)
		for _, seed := range seeds {
			wantIn(t, output(t, build(t, v, seed)), "answer")
		}
		return linkCommands(*ran)
	}
	kept := func() (files []string) {
		t.Helper()
		files, err := filepath.Glob(filepath.Join(cache, "linked", "*"))
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	want := func(n, got int, what string) {
		t.Helper()
		if got != n {
			t.Errorf("%d links of %s, want %d", got, what, n)
		}
	}
	want(2, links(head, 0, 5), "a new commit")
	want(0, links(head, 0, 5), "the same commit")
	want(1, links(head, 5, 6), "another function order")
	want(1, links(".", 5), "the working tree")
	want(1, links(".", 5), "the working tree again")
	want(0, links(head+",env=X=y", 5), "the same code in another environment")
	want(1, links(head+",flags=-ldflags=-X=main.a=b", 5), "other flags")

	tree(t, repo, answer("y"))
	want(1, links(commit(t, repo, "two"), 5), "another commit")

	for _, file := range kept() {
		if err := os.Truncate(file, 100); err != nil {
			t.Fatal(err)
		}
	}
	want(1, links(head, 5), "a damaged binary")

	old := time.Now().Add(-keptAge - time.Minute)
	for _, file := range kept() {
		if err := os.Chtimes(file, old, old); err != nil {
			t.Fatal(err)
		}
	}
	links(head, 6)
	if files := kept(); len(files) != 1 {
		t.Errorf("after a day these are kept: %q", files)
	}
}
