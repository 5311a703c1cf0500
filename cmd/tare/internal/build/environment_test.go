package build

import (
	"strings"
	"testing"
)

// TestGoEnvIsAskedOnce: a variant costs one go env, which takes as long as the
// start of a test; with env= another one, and the workspace one for all.
func TestGoEnvIsAskedOnce(t *testing.T) {
	t.Parallel()
	repo := tree(t, t.TempDir(), user("example.com/user", "example.com/user/word"))
	tree(t, repo, map[string]string{"word/w.go": "package word\n\nconst Word = \"x\"\n"})
	head := commit(t, repo, "one")
	b := newBuilder(t, repo)
	ran := commands(b)
	for _, step := range []struct {
		text       string
		asked, all int
	}{
		{head, 2, 0},
		{head, 2, 0},
		{head + ",env=GOFLAGS=-tags=x", 4, 1},
		{head + ",env=FOO=x", 5, 2},
	} {
		open(t, b, step.text)
		asked, all := 0, 0
		for _, command := range *ran {
			if strings.HasPrefix(command, "go env") {
				asked++
			}
			if command == "go env -json" {
				all++ // runs the C compiler
			}
		}
		if asked != step.asked || all != step.all {
			t.Errorf("after %s: go env was asked %d times, %d times for all, want %d and %d", step.text, asked, all, step.asked, step.all)
		}
	}
}
