//go:build !unix

package worker

import "os/exec"

func isolate(*exec.Cmd) {}

func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func quit(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
