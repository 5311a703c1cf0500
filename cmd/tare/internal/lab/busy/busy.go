// Package busy keeps a machine busy, for measurements beside other work.
package busy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

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

// Groups are the scheduling groups of busy processes. The kernel divides the
// CPUs among groups first, so that processes in one group are one competitor.
type Groups string

const (
	// Sessions gives each process its own session, as programs of different
	// terminals and services have (autogroups).
	Sessions Groups = "sessions"
	// Cgroups gives each process its own cgroup too, as containers have. cgroup v2
	// must be writable and have the cpu controller.
	Cgroups Groups = "cgroups"
)

// Keep runs n processes that never sleep until stop is called. Every second
// one walks memory. Each is in its own scheduling group.
func Keep(ctx context.Context, n int, groups Groups) (stop func(), err error) {
	if n <= 0 {
		return func() {}, nil
	}
	dir, err := os.MkdirTemp("", "tare-busy-")
	if err != nil {
		return nil, fmt.Errorf("make directory for busy processes: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	var running []*exec.Cmd
	var cgroups []string
	stop = func() {
		cancel()
		for _, cmd := range running {
			cmd.Wait()
		}
		for _, group := range cgroups {
			os.Remove(group)
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
		process.Apart(cmd)
		if err := cmd.Start(); err != nil {
			stop()
			return nil, fmt.Errorf("start busy process: %w", err)
		}
		running = append(running, cmd)
		if groups == Cgroups {
			group, err := newCgroup(cmd.Process.Pid)
			if err != nil {
				stop()
				return nil, err
			}
			cgroups = append(cgroups, group)
		}
	}
	return stop, nil
}

// newCgroup moves a process to a new cgroup.
func newCgroup(pid int) (group string, err error) {
	const root = "/sys/fs/cgroup"
	// Without O_CREATE: the files exist only in cgroup v2.
	write := func(file, text string) error {
		f, err := os.OpenFile(filepath.Join(root, file), os.O_WRONLY, 0)
		if err != nil {
			return fmt.Errorf("use the cpu controller of cgroup v2: %w", err)
		}
		_, err = f.WriteString(text)
		if err := errors.Join(err, f.Close()); err != nil {
			return fmt.Errorf("use the cpu controller of cgroup v2: %w", err)
		}
		return nil
	}
	if err := write("cgroup.subtree_control", "+cpu"); err != nil {
		return "", err
	}
	name := fmt.Sprintf("tare-busy-%d", pid)
	group = filepath.Join(root, name)
	if err := os.Mkdir(group, 0o777); err != nil {
		return "", fmt.Errorf("make cgroup: %w", err)
	}
	if err := write(filepath.Join(name, "cgroup.procs"), strconv.Itoa(pid)); err != nil {
		os.Remove(group)
		return "", err
	}
	return group, nil
}
