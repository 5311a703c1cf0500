package build

import (
	"context"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/process"
)

// gitEnv is the environment of git. It prevents password prompts, which
// nobody may answer.
func gitEnv(extra ...string) []string {
	return setenv(process.GitEnv(), append([]string{"GIT_TERMINAL_PROMPT=0"}, extra...)...)
}

// git runs git in dir and returns its output without the last newline.
func (b *Builder) git(ctx context.Context, dir string, extra []string, args ...string) (string, string, error) {
	stdout, stderr, err := b.Exec(ctx, Command{Dir: dir, Env: gitEnv(extra...), Args: append([]string{"git"}, process.GitArgs(args...)...)})
	if err != nil {
		return "", printed(stdout, stderr, err), err
	}
	return strings.TrimSuffix(string(stdout), "\n"), "", nil
}
