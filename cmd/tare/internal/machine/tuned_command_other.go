//go:build !linux

package machine

import "os/exec"

// Command starts cmd; CPUs cannot be set apart here.
func (t *Tuning) Command(cmd *exec.Cmd) error { return cmd.Start() }
