package history

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/file"
	"github.com/tarebench/tare/cmd/tare/internal/lab"
	"github.com/tarebench/tare/cmd/tare/internal/process"
)

// In a directory below the root a write keeps the existing files of the history,
// and so do a push and a fetch that merge with a remote.
func TestSubfolderKeepsEveryFile(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	origin := repository(t)
	remote := filepath.Join(t.TempDir(), "remote.git")
	gitIn(t, origin, "clone", "-q", "--bare", origin, remote)
	open := func() Ref {
		dir := filepath.Join(t.TempDir(), "clone")
		gitIn(t, origin, "clone", "-q", remote, dir)
		sub := filepath.Join(dir, "sub", "module")
		if err := os.MkdirAll(sub, 0o777); err != nil {
			t.Fatal(err)
		}
		return OpenRef(process.GitIn(sub))
	}
	count := func(s store, want int) {
		t.Helper()
		if names := list(t, s); len(names) != want {
			t.Errorf("%d files, want %d", len(names), want)
		}
	}
	a, b := open(), open()
	for i := range 3 {
		put(t, a, i)
	}
	count(a, 3)
	if err := a.Push(ctx, "origin"); err != nil {
		t.Fatal(err)
	}
	put(t, b, 10)
	put(t, b, 11)
	if err := b.Push(ctx, "origin"); err != nil { // it has diverged
		t.Fatal(err)
	}
	count(b, 5)
	put(t, a, 20)
	if err := a.Fetch(ctx, "origin"); err != nil {
		t.Fatal(err)
	}
	count(a, 6)
}

// A commit that lacks a file of its parent, or changes one, is refused.
func TestCommitKeepsTheFilesOfItsParents(t *testing.T) {
	t.Parallel()
	ctx, dir := context.Background(), repository(t)
	b := OpenRef(process.GitIn(dir))
	for i := range 2 {
		if err := b.Put(ctx, newFileName(time.Unix(int64(i), 0)), []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	tip, tree, err := b.latest(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.commit(ctx, tree[1:], "less", tip); err == nil || !strings.Contains(err.Error(), "would lose") {
		t.Errorf("a file less: %v", err)
	}
	other := strings.TrimSpace(gitIn(t, dir, "rev-parse", "HEAD:x"))
	hash := strings.Fields(tree[0])[2]
	if _, err := b.commit(ctx, []string{strings.Replace(tree[0], hash, other, 1), tree[1]}, "changed", tip); err == nil || !strings.Contains(err.Error(), "would lose") {
		t.Errorf("a changed file: %v", err)
	}
}

// Any entry of the ref that is no file is skipped by name, and nothing else is
// lost, whatever is in the files.
func TestRefReads(t *testing.T) {
	t.Parallel()
	dir, ctx := repository(t), context.Background()
	r := OpenRef(process.GitIn(dir))
	good, err := encode(study(1))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for i, text := range []string{"", "\n", "x missing\n", "0000 blob 5\n", string(good), "\n\nabc"} {
		name := newFileName(time.Unix(int64(i), 0))
		texts[name] = text
		if err := r.Put(ctx, name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	// A directory under the name of a file, as a hand-made commit may have it.
	tip, entries, err := r.latest(ctx)
	if err != nil {
		t.Fatal(err)
	}
	tree := strings.TrimSpace(gitIn(t, dir, "rev-parse", "HEAD^{tree}"))
	commit, err := r.commit(ctx, append(entries, "040000 tree "+tree+"\t"+newFileName(time.Unix(50, 0))), "by hand", tip)
	if err != nil {
		t.Fatal(err)
	}
	gitIn(t, dir, "update-ref", refName, commit)
	read := 0
	err = r.Read(ctx, func(name string, data []byte, err error) {
		read++
		text, known := texts[name]
		if known != (err == nil) || text != string(data) {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	})
	if err != nil || read != len(texts)+1 {
		t.Errorf("read %d files: %v", read, err)
	}
	files, skipped, err := load(ctx, r)
	if err != nil || len(files) != 1 || len(skipped) != len(texts) {
		t.Errorf("%d files, %d skipped: %v", len(files), len(skipped), err)
	}
}

// The ref is written without touching index, work tree or HEAD.
func TestRefLeavesTheCheckoutAlone(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	if err := os.WriteFile(filepath.Join(dir, "x"), []byte("changed"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "y"), []byte("staged"), 0o666); err != nil {
		t.Fatal(err)
	}
	gitIn(t, dir, "add", "y")
	state := func() string {
		index, err := os.ReadFile(filepath.Join(dir, ".git", "index"))
		if err != nil {
			t.Fatal(err)
		}
		return string(index) + gitIn(t, dir, "status", "--porcelain") + gitIn(t, dir, "rev-parse", "HEAD") + gitIn(t, dir, "stash", "list")
	}
	before := state()
	put(t, OpenRef(process.GitIn(dir)), 1)
	if after := state(); after != before {
		t.Errorf("the checkout changed:\n%s\nto\n%s", before, after)
	}
	if out := gitIn(t, dir, "rev-list", "--count", refName); strings.TrimSpace(out) != "1" {
		t.Errorf("the ref has %s commits", out)
	}
}

// Twenty clones push at once to one remote: nothing is lost.
func TestPushFromManyClones(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	origin := repository(t)
	remote := filepath.Join(t.TempDir(), "remote.git")
	gitIn(t, origin, "clone", "-q", "--bare", origin, remote)
	writers := lab.Times(8, 20)
	var wait sync.WaitGroup
	for i := range writers {
		dir := filepath.Join(t.TempDir(), "clone")
		gitIn(t, origin, "clone", "-q", "--no-local", remote, dir) // others push meanwhile: it must not link files
		wait.Go(func() {
			b := OpenRef(process.GitIn(dir))
			data, err := encode(study(i))
			if err == nil {
				err = b.Put(ctx, newFileName(time.Unix(int64(i), 0)), data)
			}
			if err == nil {
				err = b.Push(ctx, "origin")
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	b := OpenRef(process.GitIn(origin))
	gitIn(t, origin, "remote", "add", "there", remote)
	if err := b.Fetch(ctx, "there"); err != nil {
		t.Fatal(err)
	}
	if names := list(t, b); len(names) != writers {
		t.Errorf("%d of %d files arrived", len(names), writers)
	}
}

func refs(t *testing.T, dir string) string {
	t.Helper()
	return gitIn(t, dir, "for-each-ref", "--format=%(refname)")
}

// git push --all does not publish the ref.
func TestRefIsPublishedByPushAlone(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	remote := filepath.Join(t.TempDir(), "remote.git")
	gitIn(t, dir, "clone", "-q", "--bare", dir, remote)
	r := OpenRef(process.GitIn(dir))
	put(t, r, 1)
	gitIn(t, dir, "push", "-q", "--all", remote)
	if names := refs(t, remote); strings.Contains(names, "tare") {
		t.Errorf("git push --all published %s", names)
	}
	gitIn(t, dir, "config", "push.followTags", "true")
	gitIn(t, dir, "-c", "user.name=u", "-c", "user.email=u@example.org", "tag", "-a", "-m", "private", "private")
	if err := r.Push(context.Background(), remote); err != nil || !strings.Contains(refs(t, remote), refName) || strings.Contains(refs(t, remote), "private") {
		t.Errorf("push: %v, %s", err, refs(t, remote))
	}
}

// A branch named tare, here or in a remote, is code.
func TestBranchOfCodeNamedTare(t *testing.T) {
	t.Parallel()
	dir, clone := repository(t), filepath.Join(t.TempDir(), "clone")
	gitIn(t, dir, "checkout", "-q", "-b", "tare")
	gitIn(t, dir, "clone", "-q", dir, clone)
	before := gitIn(t, dir, "rev-parse", "refs/heads/tare")
	r := OpenRef(process.GitIn(dir))
	if names := list(t, r); len(names) != 0 {
		t.Errorf("code is read as %v", names)
	}
	put(t, r, 1)
	if after := gitIn(t, dir, "rev-parse", "refs/heads/tare"); after != before || gitIn(t, dir, "status", "--porcelain") != "" {
		t.Error("the branch of code was written")
	}
	put(t, OpenRef(process.GitIn(clone)), 2)
	gitIn(t, dir, "update-ref", "-d", refName)
	if err := OpenRef(process.GitIn(clone)).Fetch(context.Background(), "origin"); err != nil {
		t.Error(err)
	}
	if n := len(list(t, OpenRef(process.GitIn(clone)))); n != 1 {
		t.Errorf("%d files after a fetch of code", n)
	}
	other := repository(t)
	gitIn(t, other, "branch", "tare/feature")
	put(t, OpenRef(process.GitIn(other)), 1)
}

// A file that was edited in one clone does not become a tree of two entries of
// one name, which servers refuse.
func TestOneNameTwoContents(t *testing.T) {
	t.Parallel()
	ctx, dir, clone := context.Background(), repository(t), filepath.Join(t.TempDir(), "clone")
	gitIn(t, dir, "clone", "-q", dir, clone)
	name := newFileName(time.Unix(1, 0))
	for _, at := range []string{dir, clone} {
		if err := OpenRef(process.GitIn(at)).Put(ctx, name, []byte(at)); err != nil {
			t.Fatal(err)
		}
	}
	if err := OpenRef(process.GitIn(clone)).Fetch(ctx, "origin"); err == nil || !strings.Contains(err.Error(), name+" has two contents") {
		t.Errorf("fetch: %v", err)
	}
	gitIn(t, clone, "fsck", "--strict")
}

// counting counts the calls of one verb of git.
func counting(dir, verb string, n *atomic.Int32) process.Git {
	in := process.GitIn(dir)
	return func(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
		if args[0] == verb {
			n.Add(1)
		}
		return in(ctx, stdin, args...)
	}
}

// A remote that refuses every push is tried three times, not for a minute.
func TestPushThatIsRefused(t *testing.T) {
	t.Parallel()
	dir, remote := repository(t), filepath.Join(t.TempDir(), "remote.git")
	gitIn(t, dir, "clone", "-q", "--bare", dir, remote)
	if err := os.WriteFile(filepath.Join(remote, "hooks", "pre-receive"), []byte("#!/bin/sh\necho no >&2\nexit 1\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	var pushes atomic.Int32
	r := OpenRef(counting(dir, "push", &pushes))
	put(t, r, 1)
	if err := r.Push(context.Background(), remote); err == nil || pushes.Load() != 3 {
		t.Errorf("%d pushes: %v", pushes.Load(), err)
	}
}

// The lock of a git command that was killed is named soon.
func TestStaleLock(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	var writes atomic.Int32
	r := OpenRef(counting(dir, "update-ref", &writes))
	put(t, r, 1)
	if err := os.WriteFile(filepath.Join(dir, ".git", filepath.FromSlash(refName)+".lock"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	writes.Store(0)
	err := r.Put(context.Background(), newFileName(time.Unix(2, 0)), []byte("{}"))
	if err == nil || !strings.Contains(err.Error(), "remove the file refs/tare/history.lock") || writes.Load() > 20 {
		t.Errorf("%d writes: %v", writes.Load(), err)
	}
}

// A revision or remote that begins with a dash is no option of git.
func TestDashIsNoOption(t *testing.T) {
	t.Parallel()
	ctx, dir := context.Background(), repository(t)
	victim := filepath.Join(t.TempDir(), "victim")
	repo, r := Repository{process.GitIn(dir)}, OpenRef(process.GitIn(dir))
	put(t, r, 1)
	_, commit := repo.Commit(ctx, "--output="+victim)
	_, line := repo.Line(ctx, "--output="+victim)
	for what, err := range map[string]error{
		"commit": commit, "line": line,
		"fetch": r.Fetch(ctx, "--upload-pack=touch "+victim), "push": r.Push(ctx, "--receive-pack=touch "+victim),
	} {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if _, err := os.Stat(victim); !errors.Is(err, os.ErrNotExist) {
		t.Error("an option wrote a file")
	}
}

// TestRefOfBlanks: a stranger's repository is small, and its files are not. They are
// read some at a time, and none that is too large.
func TestRefOfBlanks(t *testing.T) {
	t.Parallel()
	dir, ctx := repository(t), context.Background()
	r := OpenRef(process.GitIn(dir))
	var entries []string
	for i, size := range []int{file.Small + 1, file.Small / 2, file.Small / 2, file.Small / 2} {
		out, err := r.git(ctx, bytes.Repeat([]byte(" "), size), "hash-object", "-w", "--stdin")
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, "100644 blob "+strings.TrimSpace(string(out))+"\t"+newFileName(time.Unix(int64(i), 0)))
	}
	commit, err := r.commit(ctx, entries, "blanks")
	if err != nil {
		t.Fatal(err)
	}
	gitIn(t, dir, "update-ref", refName, commit)
	most, asked, plain := 0, 0, r.git
	r.git = func(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
		out, err := plain(ctx, stdin, args...)
		if most = max(most, len(out)); args[0] == "cat-file" {
			asked++
		}
		return out, err
	}
	read, refused := 0, 0
	if err := r.Read(ctx, func(_ string, data []byte, err error) {
		if read += len(data); err != nil {
			refused++
		}
	}); err != nil {
		t.Fatal(err)
	}
	if read != 3*file.Small/2 || refused != 1 || asked != 2 || most > file.Small+1000 {
		t.Errorf("read %d bytes, refused %d files, asked %d times for at most %d bytes", read, refused, asked, most)
	}
}
