//go:build !portable

package study

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/cmd/tare/internal/process"
)

// starting starts a program from a shell that ends at once. Another shell
// stays. When tare dies, the input of this shell closes, and it kills the
// process group.
const starting = `p=$("$@" </dev/null >/dev/null & echo $!); echo $p; read p; kill -9 0`

const mostWords = 1 << 20

// aside runs an untimed command. It returns the peak of its resident memory (0
// if not known) and its standard error.
//
// Until exec, Linux counts the memory of the parent for a new process. So a
// small shell starts the program and ends. This process then adopts the program
// and waits for it.
func aside(ctx context.Context, cmd *exec.Cmd, cpus []int) (peak float64, words string, err error) {
	failed := func(err error) (float64, string, error) {
		return 0, "", fmt.Errorf("run %s: %w", cmd.Args[0], err)
	}
	file, err := os.CreateTemp("", "tare-words-")
	if err != nil {
		return failed(err)
	}
	defer file.Close()
	if err := os.Remove(file.Name()); err != nil {
		return failed(err)
	}
	shell := process.Command(ctx, "sh", append([]string{"-c", starting, "sh"}, cmd.Args...)...)
	shell.SysProcAttr.Pdeathsig = 0 // it ends its group first
	shell.Dir, shell.Env, shell.Stderr = cmd.Dir, cmd.Env, file
	started, err := shell.StdoutPipe()
	if err != nil {
		return failed(err)
	}
	if _, err := shell.StdinPipe(); err != nil {
		return failed(err)
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return 0, "", fmt.Errorf("adopt processes: %w", err)
	}
	defer unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
	if err := process.OnProcessors(cpus, shell.Start); err != nil {
		return failed(err)
	}
	defer shell.Wait()
	defer process.Kill(shell)
	var pid int
	if _, err := fmt.Fscan(started, &pid); err != nil {
		return failed(err)
	}
	var used unix.Rusage
	for {
		if _, err = unix.Wait4(pid, nil, 0, &used); err != unix.EINTR {
			break
		}
	}
	if err != nil && err != unix.ECHILD { // the shell has waited for a program that ends at once: no peak
		return 0, "", fmt.Errorf("wait for %s: %w", cmd.Args[0], err)
	}
	data, err := io.ReadAll(io.NewSectionReader(file, 0, mostWords))
	return float64(used.Maxrss) * 1024, string(data), err
}
