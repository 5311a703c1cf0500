package process

import (
	"os/exec"
	"syscall"
)

// ownGroup also makes the kernel kill the command when tare is killed.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
