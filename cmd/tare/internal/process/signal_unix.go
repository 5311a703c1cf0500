//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// Dump makes a started Go program print its goroutines and end.
func Dump(cmd *exec.Cmd) { _ = cmd.Process.Signal(syscall.SIGQUIT) }
