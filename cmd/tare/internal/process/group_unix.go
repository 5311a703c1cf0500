//go:build unix && !linux

package process

import (
	"os/exec"
	"syscall"
)

// ownGroup has no parent-death signal here: when we are killed, the command
// ends by itself, a worker at its next message, when it finds the pipe closed.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
