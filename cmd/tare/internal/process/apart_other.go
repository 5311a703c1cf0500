//go:build !linux

package process

import "os/exec"

// Apart does nothing: only Linux shares processor time among sessions.
func Apart(*exec.Cmd) {}
