//go:build !unix

package process

import "os/exec"

// Without process groups, children of a command may outlive it for a while.
// They end by themselves.
func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }

// Dump ends a program that was started. It cannot print its goroutines here.
func Dump(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

// Guard runs a command with run, which starts it with start.
func Guard(cmd *exec.Cmd, run func(start func() error) error) error { return run(cmd.Start) }
