//go:build unix && !linux

package process

import (
	"os/exec"
	"syscall"
)

// ownGroup has no parent-death signal here. When tare is killed, the command
// ends by itself. A worker ends at its next message, since the pipe is
// closed.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
