package build

import (
	"context"
	"os"
	"slices"
	"strings"
)

// gitEnv is the environment of git: the user's, less what a git hook sets to
// point git at one repository or index, plus the promise to write nothing on
// the side (git status would refresh the index).
func gitEnv(extra ...string) []string {
	env := slices.DeleteFunc(os.Environ(), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains(gitLocal, name)
	})
	return setenv(env, append([]string{"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C"}, extra...)...)
}

// gitLocal are the variables by which a hook ties git to one repository.
var gitLocal = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR",
	"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE",
}

// git runs git in dir and returns its output without the last newline. Hooks
// and the file system monitor stay out of it.
func (b *Builder) git(ctx context.Context, dir string, extra []string, args ...string) (string, string, error) {
	args = append([]string{"git", "-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false", "-c", "advice.detachedHead=false"}, args...)
	stdout, stderr, err := b.Exec(ctx, Command{Dir: dir, Env: gitEnv(extra...), Args: args})
	if err != nil {
		return "", printed(stdout, stderr, err), err
	}
	return strings.TrimSuffix(string(stdout), "\n"), "", nil
}
