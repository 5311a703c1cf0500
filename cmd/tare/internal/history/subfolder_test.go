package history

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// In a folder below the root a write keeps the files that the history had, and
// so do a push and a fetch that merge with a remote.
func TestSubfolderKeepsEveryFile(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	origin := repository(t)
	remote := filepath.Join(t.TempDir(), "remote.git")
	gitIn(t, origin, "clone", "-q", "--bare", origin, remote)
	open := func() Branch {
		dir := filepath.Join(t.TempDir(), "clone")
		gitIn(t, origin, "clone", "-q", remote, dir)
		sub := filepath.Join(dir, "sub", "module")
		if err := os.MkdirAll(sub, 0o777); err != nil {
			t.Fatal(err)
		}
		return OpenBranch(RunGit(sub), "tare")
	}
	put := func(b Branch, i int) {
		t.Helper()
		data, err := Encode(study(i))
		if err == nil {
			err = b.Put(ctx, FileName(time.Unix(int64(i), 0)), data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	count := func(b Branch, want int) {
		t.Helper()
		if names, err := b.List(ctx); err != nil || len(names) != want {
			t.Errorf("%d files, want %d: %v", len(names), want, err)
		}
	}
	a, b := open(), open()
	for i := range 3 {
		put(a, i)
	}
	count(a, 3)
	if err := a.Push(ctx, "origin"); err != nil {
		t.Fatal(err)
	}
	put(b, 10)
	put(b, 11)
	if err := b.Push(ctx, "origin"); err != nil { // it has diverged
		t.Fatal(err)
	}
	count(b, 5)
	put(a, 20)
	if err := a.Fetch(ctx, "origin"); err != nil {
		t.Fatal(err)
	}
	count(a, 6)
}

// A commit that lacks a file of its parent, or changes one, is refused.
func TestCommitKeepsTheFilesOfItsParents(t *testing.T) {
	t.Parallel()
	ctx, dir := context.Background(), repository(t)
	b := OpenBranch(RunGit(dir), "tare")
	for i := range 2 {
		if err := b.Put(ctx, FileName(time.Unix(int64(i), 0)), []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	tip, tree, err := b.read(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.commit(ctx, tree[1:], "less", tip); err == nil || !strings.Contains(err.Error(), "would be lost") {
		t.Errorf("a file less: %v", err)
	}
	other := strings.TrimSpace(gitIn(t, dir, "rev-parse", "HEAD:x"))
	hash := strings.Fields(tree[0])[2]
	if _, err := b.commit(ctx, []string{strings.Replace(tree[0], hash, other, 1), tree[1]}, "changed", tip); err == nil || !strings.Contains(err.Error(), "would be lost") {
		t.Errorf("a changed file: %v", err)
	}
}
