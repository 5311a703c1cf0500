//go:build !linux || portable

package process

import "os/exec"

// Apart does nothing: only Linux shares CPU time among sessions.
func Apart(*exec.Cmd) {}
