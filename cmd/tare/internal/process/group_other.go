//go:build !unix

package process

import "os/exec"

// Without process groups what a command has started may outlive it for a
// while; it ends by itself.
func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }

// Dump ends a program that was started; it cannot be asked for its goroutines
// here.
func Dump(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
