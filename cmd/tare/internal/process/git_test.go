package process

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestErrorNamesTheVerb(t *testing.T) {
	t.Parallel()
	_, err := GitIn(t.TempDir())(context.Background(), nil, "-c", "user.name=a", "--no-pager", "commit-tree", "nothing")
	if err == nil || !strings.HasPrefix(err.Error(), "git commit-tree: ") {
		t.Errorf("error %v", err)
	}
}

// A hook of git names its repository and index in the environment; tare works
// in another one.
func TestEnvForgetsTheRepositoryOfAHook(t *testing.T) {
	t.Setenv("GIT_INDEX_FILE", "x")
	t.Setenv("GIT_DIR", "y")
	if env := GitEnv(); slices.Contains(env, "GIT_INDEX_FILE=x") || slices.Contains(env, "GIT_DIR=y") {
		t.Errorf("environment %v", env)
	}
}

// TestSettingsOfTheUser: the names of changed files are below the root of the
// repository, in their order, whatever the user's settings.
func TestSettingsOfTheUser(t *testing.T) {
	dir := t.TempDir()
	git := GitIn(dir, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.com", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.com")
	write := func(text string) {
		for _, name := range []string{"a", "b"} {
			if err := errors.Join(os.MkdirAll(filepath.Join(dir, name), 0o777), os.WriteFile(filepath.Join(dir, name, "x"), []byte(text), 0o666)); err != nil {
				t.Fatal(err)
			}
		}
	}
	write("1")
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "."}, {"commit", "-qm", "one"},
		{"config", "i18n.logOutputEncoding", "UTF-16"}, {"config", "diff.relative", "true"}, {"config", "diff.orderFile", "/nonexistent"}, {"config", "status.showUntrackedFiles", "no"},
	} {
		if out, err := git(t.Context(), nil, args...); err != nil {
			t.Fatalf("%v: %v %s", args, err, out)
		}
	}
	write("22")
	if out, err := GitIn(filepath.Join(dir, "a"))(t.Context(), nil, "diff", "--name-only", "HEAD", "--"); string(out) != "a/x\nb/x\n" {
		t.Errorf("changed files %q, %v", out, err)
	}
	if out, err := git(t.Context(), nil, "log", "--format=%s"); string(out) != "one\n" {
		t.Errorf("subjects %q, %v", out, err)
	}
}

// To get a missing object, git would run what the remote of a stranger's repository
// names.
func TestReadingReachesNoRemote(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	ran := filepath.Join(dir, "ran")
	git := GitIn(dir, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.com", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.com")
	for _, args := range [][]string{
		{"init", "-q"},
		{"commit", "-q", "--allow-empty", "-m", "one"},
		{"config", "remote.origin.url", "ext::touch " + ran},
		{"config", "remote.origin.promisor", "true"},
		{"config", "extensions.partialClone", "origin"},
		{"config", "core.repositoryformatversion", "1"},
		{"config", "protocol.ext.allow", "always"},
	} {
		if out, err := git(t.Context(), nil, args...); err != nil {
			t.Fatalf("%v: %v %s", args, err, out)
		}
	}
	if _, err := git(t.Context(), nil, "cat-file", "-p", "1234567890123456789012345678901234567890"); err == nil || !strings.Contains(err.Error(), "git fetch --refetch") {
		t.Errorf("a missing object: %v", err)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("git ran the command of the remote")
	}
	// It would have.
	cmd := exec.Command("git", "cat-file", "-p", "1234567890123456789012345678901234567890")
	cmd.Dir, cmd.Env = dir, GitEnv()
	_ = cmd.Run()
	if _, err := os.Stat(ran); err != nil {
		t.Skip("this git runs no command of a remote")
	}
}
