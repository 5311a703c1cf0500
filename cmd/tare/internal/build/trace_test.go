package build

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/lab"
)

// snapshot maps every path below root to its kind, permissions and content.
func snapshot(t *testing.T, root string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		content := ""
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			content = fmt.Sprintf("%x", sha256.Sum256(data))
		}
		rel, _ := filepath.Rel(root, path)
		all[rel] = info.Mode().String() + " " + content
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func same(t *testing.T, before, after map[string]string) {
	t.Helper()
	for path, was := range before {
		if is, ok := after[path]; !ok {
			t.Errorf("%s is gone", path)
		} else if is != was {
			t.Errorf("%s changed", path)
		}
	}
	for path := range after {
		if _, ok := before[path]; !ok {
			t.Errorf("%s is new", path)
		}
	}
}

// busyRepository has a dirty tree, a staged change, a stash, branches, a
// worktree of the user's own, and a hook that would leave a trace.
func busyRepository(t *testing.T) (repo string) {
	t.Helper()
	root := t.TempDir()
	repo = tree(t, filepath.Join(root, "repo"), answer("old"))
	commit(t, repo, "old")
	git(t, repo, "branch", "side")
	git(t, repo, "worktree", "add", "-q", filepath.Join(root, "own"), "side")
	// The user's own broken worktree entry must stay, too.
	git(t, repo, "worktree", "add", "-q", "--detach", filepath.Join(root, "moved away"), "side")
	if err := os.RemoveAll(filepath.Join(root, "moved away")); err != nil {
		t.Fatal(err)
	}
	tree(t, repo, map[string]string{"a.go": "package answer\n\nfunc Answer() string { return \"stashed\" }\n"})
	git(t, repo, "stash", "-q")
	tree(t, repo, map[string]string{"staged.go": "package answer\n\nconst staged = 1\n"})
	git(t, repo, "add", "staged.go")
	tree(t, repo, answer("dirty"))
	hook := filepath.Join(repo, ".git", "hooks", "post-checkout")
	if err := os.MkdirAll(filepath.Dir(hook), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(hook, []byte("#!/bin/sh\necho trace >> '"+filepath.Join(repo, "trace")+"'\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	// Files older than the index: git status then has nothing to refresh by
	// chance, and would write the index if it may.
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(repo, "go.mod"), old, old); err != nil {
		t.Fatal(err)
	}
	return repo
}

func TestNothingOfTheUsersIsTouched(t *testing.T) {
	t.Parallel()
	repo := busyRepository(t)
	before := snapshot(t, repo)
	b := newBuilder(t, repo)
	wantIn(t, output(t, build(t, open(t, b, "HEAD"), 1)), "answer old")
	wantIn(t, output(t, build(t, open(t, b, "."), 1)), "answer dirty")
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	same(t, before, snapshot(t, repo))
	empty(t, b.Temp)
}

// empty fails for every file that is left below dir.
func empty(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		t.Errorf("%s is left behind", filepath.Join(dir, entry.Name()))
	}
}

func TestNothingIsLeftBehindByAnError(t *testing.T) {
	t.Parallel()
	repo := busyRepository(t)
	before := snapshot(t, repo)
	temp := tree(t, t.TempDir(), nil)
	boom := errors.New("boom")
	// Fail each command of a build in turn.
	for broken := 0; ; broken++ {
		count, links := 0, false
		b := &Builder{Dir: repo, Cache: t.TempDir(), Temp: temp, Exec: func(ctx context.Context, c Command) ([]byte, []byte, error) {
			for _, name := range []string{"TMPDIR", "GOTMPDIR"} {
				if !slices.ContainsFunc(c.Env, func(pair string) bool { return strings.HasPrefix(pair, name+"="+temp) }) {
					t.Errorf("%v leaves its temporary files elsewhere: no %s under %s", c.Args, name, temp)
				}
			}
			if count++; count == broken+1 {
				links = filepath.Base(c.Args[0]) == "link"
				return nil, nil, boom
			}
			return executor(drainDelay)(ctx, c)
		}}
		spec, _ := Parse("HEAD")
		v, err := b.Open(t.Context(), spec)
		if err == nil {
			if _, err = v.Packages(t.Context()); err == nil {
				_, err = v.Build(t.Context(), "example.com/answer", 0)
			}
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		same(t, before, snapshot(t, repo))
		empty(t, temp)
		if count <= broken {
			if broken < 5 {
				t.Errorf("only %d commands were broken", broken)
			}
			return
		}
		if err == nil && !links { // go test -c links then
			t.Errorf("command %d failed and nobody said so", broken)
		}
	}
}

func TestCancelEndsTheBuildAndItsChildren(t *testing.T) {
	t.Parallel()
	repo := tree(t, t.TempDir(), answer("x"))
	commit(t, repo, "one")
	temp := t.TempDir()
	b := &Builder{Dir: repo, Cache: t.TempDir(), Temp: temp, Flags: []string{"-a", "-tags=" + fmt.Sprint("t", time.Now().UnixNano())}}
	v := open(t, b, "HEAD")
	if _, err := v.Packages(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	if _, err := v.Build(ctx, "example.com/answer", 0); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want context canceled", err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	empty(t, temp)
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		left := processesIn(t, temp)
		if len(left) == 0 {
			break
		}
		if time.Since(began) > time.Minute { // a killed process ends when it is scheduled
			t.Fatalf("still running: %q", left)
		}
	}
}

// processesIn lists the commands that name a folder in their arguments.
func processesIn(t *testing.T, folder string) []string {
	t.Helper()
	out, err := exec.Command("ps", "-eo", "args").Output()
	if err != nil {
		t.Skip("no ps here")
	}
	return slices.DeleteFunc(strings.Split(string(out), "\n"), func(line string) bool { return !strings.Contains(line, folder) })
}

// TestMain lets the kill test start this binary as a tare that will be killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv("VARIANT_TEST_VICTIM"); dir != "" {
		b := &Builder{Dir: dir, Cache: os.Getenv("VARIANT_TEST_CACHE"), Temp: os.Getenv("VARIANT_TEST_TEMP")}
		spec, _ := Parse("HEAD")
		v, err := b.Open(context.Background(), spec)
		if err == nil {
			if _, err = v.Packages(context.Background()); err == nil {
				_, err = v.Build(context.Background(), "example.com/answer", 5)
			}
		}
		fmt.Println("built", err)
		time.Sleep(time.Hour)
	}
	os.Exit(m.Run())
}

func TestNextStartClearsWhatAKillLeft(t *testing.T) {
	t.Parallel()
	kills := 4
	if lab.Long {
		kills = 50
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	repo := busyRepository(t)
	before := snapshot(t, repo)
	temp, cache := t.TempDir(), t.TempDir()
	for i := range kills {
		victim := exec.Command(self)
		victim.Env = append(os.Environ(), "VARIANT_TEST_VICTIM="+repo, "VARIANT_TEST_TEMP="+temp, "VARIANT_TEST_CACHE="+cache)
		if err := victim.Start(); err != nil {
			t.Fatal(err)
		}
		// From the first git command to the finished link.
		time.Sleep(time.Duration(20+i*1500/kills) * time.Millisecond)
		if err := victim.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		victim.Wait()
		b := &Builder{Dir: repo, Cache: cache, Temp: temp}
		open(t, b, ".")
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		same(t, before, snapshot(t, repo))
		empty(t, temp)
		if t.Failed() {
			t.Fatalf("after kill %d of %d", i+1, kills)
		}
	}
}

// TestNextStartWaitsForALockOfTheDead: a child of a killed process may hold
// its lock for a moment longer.
func TestNextStartWaitsForALockOfTheDead(t *testing.T) {
	t.Parallel()
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Skip(err)
	}
	for name, holder := range map[string]int{"dead": gone.Process.Pid, "live": os.Getpid()} {
		parent := t.TempDir()
		left := filepath.Join(parent, "w1")
		s, err := lockSlot(left)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(left+lockSuffix, []byte(fmt.Sprint(holder)), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(left, 0o700); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(100*time.Millisecond, func() { s.lock.Close() })
		if err := clearStale(parent); err != nil {
			t.Fatal(err)
		}
		if cleared := !exists(left); cleared != (name == "dead") {
			t.Errorf("a %s process's slot: cleared %v", name, cleared)
		}
	}
}

// TestOutputHeldOpen: a command that ended well has succeeded, even where a
// child of it keeps its output open.
func TestOutputHeldOpen(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	run := executor(time.Second)
	out, _, err := run(t.Context(), Command{Dir: t.TempDir(), Env: os.Environ(), Args: []string{"sh", "-c", "sleep 3 & echo done"}})
	if err != nil || string(out) != "done\n" {
		t.Errorf("%q, %v", out, err)
	}
	if _, _, err = run(t.Context(), Command{Dir: t.TempDir(), Env: os.Environ(), Args: []string{"sh", "-c", "sleep 3 & exit 1"}}); err == nil {
		t.Error("a failure went unseen")
	}
}

func TestTwoRunsAtOnceDoNotDisturbEachOther(t *testing.T) {
	t.Parallel()
	repo := tree(t, t.TempDir(), answer("x"))
	commit(t, repo, "one")
	one := &Builder{Dir: repo, Cache: t.TempDir(), Temp: t.TempDir()}
	first := build(t, open(t, one, "HEAD"), 0)
	two := &Builder{Dir: repo, Cache: one.Cache, Temp: one.Temp}
	second := build(t, open(t, two, "HEAD"), 0)
	if first.Dir == second.Dir {
		t.Error("both work in", first.Dir)
	}
	if err := two.Close(); err != nil {
		t.Error(err)
	}
	wantIn(t, output(t, first), "answer x")
	if err := one.Close(); err != nil {
		t.Error(err)
	}
	empty(t, one.Temp)
}
