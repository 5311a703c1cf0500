//go:build unix && !linux

package worker

import (
	"os/exec"
	"syscall"
)

// isolate puts the worker into a process group of its own. Without Linux's
// parent-death signal an orphan ends at its next message, when it finds the
// pipe closed.
func isolate(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

func quit(cmd *exec.Cmd) { _ = cmd.Process.Signal(syscall.SIGQUIT) }
