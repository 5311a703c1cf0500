package process

import (
	"context"
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
