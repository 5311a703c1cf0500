package study

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/cmd/tare/internal/process"
)

// aside runs a command that is not timed, and returns the peak of its resident
// memory (0 if it is not known) and its standard error.
//
// Linux counts the memory of the parent as that of a process that it starts, up
// to exec. So a shell, which is small, starts the program and ends. The program
// then belongs to this process, which waits for it.
func aside(ctx context.Context, cmd *exec.Cmd, cpus []int) (peak float64, words string, err error) {
	file, err := os.CreateTemp("", "tare-words-")
	if err != nil {
		return 0, "", fmt.Errorf("run %s: %w", cmd.Args[0], err)
	}
	defer os.Remove(file.Name())
	defer file.Close()
	var started bytes.Buffer
	shell := process.Command(ctx, "sh", append([]string{"-c", `"$@" >/dev/null & echo $!`, "sh"}, cmd.Args...)...)
	shell.Dir, shell.Env, shell.Stdout, shell.Stderr = cmd.Dir, cmd.Env, &started, file
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return 0, "", fmt.Errorf("adopt processes: %w", err)
	}
	defer unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
	if err := process.OnProcessors(cpus, shell.Start); err != nil {
		return 0, "", fmt.Errorf("run %s: %w", cmd.Args[0], err)
	}
	defer process.Kill(shell)
	stop := context.AfterFunc(ctx, func() { process.Kill(shell) })
	defer stop()
	if err := process.Ended(shell.Wait()); err != nil {
		return 0, "", fmt.Errorf("run %s: %w", cmd.Args[0], err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(started.String()))
	if err != nil {
		return 0, "", fmt.Errorf("run %s: %w", cmd.Args[0], err)
	}
	var used unix.Rusage
	for {
		if _, err = unix.Wait4(pid, nil, 0, &used); err != unix.EINTR {
			break
		}
	}
	if err != nil {
		return 0, "", fmt.Errorf("wait for %s: %w", cmd.Args[0], err)
	}
	data, err := os.ReadFile(file.Name())
	return float64(used.Maxrss) * 1024, string(data), err
}
