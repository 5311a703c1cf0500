package process

import (
	"os/exec"
	"syscall"
)

// ownGroup also asks the kernel to kill the command when we are killed.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
