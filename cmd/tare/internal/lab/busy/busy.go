// Package busy keeps a machine busy, for measurements beside other work.
package busy

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/tarebench/tare/cmd/tare/internal/process"
)

// program is a program that never sleeps. With an argument it walks 64 MB of
// memory, so that it also takes the caches.
const program = `package main

import "os"

func main() {
	memory := make([]byte, 1)
	if len(os.Args) > 1 {
		memory = make([]byte, 64<<20)
	}
	for {
		for i := 0; i < len(memory); i += 64 {
			memory[i]++
		}
	}
}
`

// Keep runs n processes that never sleep until stop is called. Every second
// one walks memory.
func Keep(ctx context.Context, n int) (stop func(), err error) {
	if n <= 0 {
		return func() {}, nil
	}
	dir, err := os.MkdirTemp("", "tare-busy-")
	if err != nil {
		return nil, fmt.Errorf("make directory for busy processes: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	var running []*exec.Cmd
	stop = func() {
		cancel()
		for _, cmd := range running {
			cmd.Wait()
		}
		os.RemoveAll(dir)
	}
	if err := os.WriteFile(filepath.Join(dir, "busy.go"), []byte(program), 0o666); err != nil {
		stop()
		return nil, fmt.Errorf("write busy program: %w", err)
	}
	build := process.Command(ctx, "go", "build", "-o", "busy", "busy.go")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		stop()
		return nil, fmt.Errorf("build busy program: %w: %s", process.Ended(err), out)
	}
	for i := range n {
		cmd := process.Command(ctx, filepath.Join(dir, "busy"), []string{"walk"}[:i%2]...)
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
		if err := cmd.Start(); err != nil {
			stop()
			return nil, fmt.Errorf("start busy process: %w", err)
		}
		running = append(running, cmd)
	}
	return stop, nil
}
