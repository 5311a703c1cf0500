package process

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Git runs git with arguments and standard input in one repository and returns
// its standard output.
type Git func(ctx context.Context, stdin []byte, args ...string) ([]byte, error)

// GitIn is the git command in dir, with NAME=VALUE pairs in its environment. Only
// fetch, ls-remote and push reach a remote: to get a missing object, git would run what
// the configuration of a repository names.
func GitIn(dir string, env ...string) Git {
	return func(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, "git", GitArgs(args...)...)
		cmd.Dir, cmd.Env, cmd.Stdin = dir, append(GitEnv(), env...), bytes.NewReader(stdin)
		if !slices.Contains([]string{"fetch", "ls-remote", "push"}, verb(args)) {
			cmd.Env = append(cmd.Env, "GIT_ALLOW_PROTOCOL=", "GIT_NO_LAZY_FETCH=1")
		}
		out, err := output(cmd, "git "+verb(args))
		if err != nil && (strings.Contains(err.Error(), "promisor remote") || strings.Contains(err.Error(), "lazy fetching disabled")) {
			err = fmt.Errorf("%w: this clone lacks objects, and only reads here: get them with git fetch --refetch --no-filter", err)
		}
		return out, err
	}
}

// Names are the names in the output of git with -z.
func Names(out string) []string {
	return strings.FieldsFunc(out, func(r rune) bool { return r == 0 })
}

// Exec runs a command in a directory and returns its standard output.
type Exec func(ctx context.Context, dir, name string, args ...string) ([]byte, error)

// Run is an Exec that starts the command with the operating system.
func Run(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	if name == "git" {
		return GitIn(dir)(ctx, nil, args...)
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	return output(cmd, name+" "+args[0])
}

func output(cmd *exec.Cmd, name string) ([]byte, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}

func verb(args []string) string {
	for i := 0; i < len(args); i++ {
		if args[i] == "-c" {
			i++ // a setting
		} else if !strings.HasPrefix(args[i], "-") {
			return args[i]
		}
	}
	return ""
}

// GitArgs adds the options of every call. They disable the hooks and the file
// system monitor of the repository, and make the answer independent of the user's
// settings. /dev/null is git's name of it on every system.
func GitArgs(args ...string) []string {
	return append([]string{"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "advice.detachedHead=false",
		"-c", "status.showUntrackedFiles=all", "-c", "status.relativePaths=true", "-c", "color.ui=false", "-c", "log.showSignature=false", "-c", "i18n.logOutputEncoding=UTF-8",
		"-c", "diff.relative=false", "-c", "diff.orderFile=/dev/null"}, args...)
}

// GitEnv is the environment of every call: the user's, without the variables that
// a git hook sets to select one repository or index, and without those that change
// the meaning of paths or the form of differences. git writes no side files
// (git status would refresh the index), and its messages are English.
func GitEnv() []string {
	env := slices.DeleteFunc(os.Environ(), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains(local, name)
	})
	return append(env, "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
}

var local = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR",
	"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE",
	"GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS",
}
