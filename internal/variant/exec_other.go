//go:build !unix

package variant

import "os/exec"

// Without process groups a cancelled build may leave a compiler running for a
// moment; it ends by itself.
func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
