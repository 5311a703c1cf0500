//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// Dump asks a Go program that was started for its goroutines, and ends it.
func Dump(cmd *exec.Cmd) { _ = cmd.Process.Signal(syscall.SIGQUIT) }
