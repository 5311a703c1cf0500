package build

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/process"
)

// Command is a run of go, git or the linker.
type Command struct {
	// Dir is the working directory, Env the whole environment.
	Dir  string
	Env  []string
	Args []string
}

// Exec runs a command to its end. The error is the error of exec.Cmd.Run.
type Exec func(ctx context.Context, c Command) (stdout, stderr []byte, err error)

// inTemp gives every command a directory for its temporary files. Killed go
// commands, C compilers and linkers leave such files. The next start finds
// them in this directory.
func (e Exec) inTemp(dir string) Exec {
	return func(ctx context.Context, c Command) (stdout, stderr []byte, err error) {
		env := setenv(c.Env, "TMPDIR="+dir)
		// A caller may have chosen a directory below this one.
		if !slices.ContainsFunc(env, func(pair string) bool {
			value, ok := strings.CutPrefix(pair, "GOTMPDIR=")
			return ok && within(value, filepath.Dir(dir))
		}) {
			env = setenv(env, "GOTMPDIR="+dir)
		}
		c.Env = env
		return e(ctx, c)
	}
}

// drainDelay is how long the output of an ended command may stay open. A busy
// machine may deliver the rest late, and a child that continues (a compiler
// server) never closes it.
const drainDelay = 10 * time.Second

// executor runs commands whose children end with them, so that compilers and
// linkers also end with ctx.
func executor(drain time.Duration) Exec {
	return func(ctx context.Context, c Command) (stdout, stderr []byte, err error) {
		cmd := process.Command(ctx, c.Args[0], c.Args[1:]...)
		cmd.WaitDelay = drain
		process.Apart(cmd)
		cmd.Dir, cmd.Env = c.Dir, c.Env
		var out, words bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &words
		err = process.Ended(cmd.Run())
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return out.Bytes(), words.Bytes(), err
	}
}

// printed returns the output of a failed command: its standard error, or its
// standard output, or the error.
func printed(stdout, stderr []byte, err error) string {
	for _, output := range [][]byte{stderr, stdout} {
		if text := strings.TrimSpace(string(output)); text != "" {
			return text
		}
	}
	if errors.Is(err, exec.ErrNotFound) {
		return err.Error() + ": install it or put it on PATH"
	}
	return err.Error()
}

// setenv returns env with the variables set. A command gets the last of equal
// names: see exec.Cmd.
func setenv(env []string, pairs ...string) []string { return slices.Concat(env, pairs) }
