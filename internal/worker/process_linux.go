package worker

import (
	"os/exec"
	"syscall"
)

// isolate puts the worker into a process group of its own, so that it and
// what it starts can be ended together, and has the kernel end it when we die
// without a chance to.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

func quit(cmd *exec.Cmd) { _ = cmd.Process.Signal(syscall.SIGQUIT) }
