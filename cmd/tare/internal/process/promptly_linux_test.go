//go:build !portable

package process

import (
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// TestPromptly: a process that is started promptly has a short time slice, and
// this process keeps its own.
func TestPromptly(t *testing.T) {
	slice := func(pid int) uint64 {
		attr, err := unix.SchedGetAttr(pid, 0)
		if err != nil {
			t.Skip(err)
		}
		return attr.Runtime
	}
	if slice(0) == 0 {
		t.Skip("this kernel has no time slices to choose (Linux 6.12 has)")
	}
	before := slice(0)
	cmd := exec.Command("sleep", "60")
	if err := Promptly(cmd.Start); err != nil {
		t.Fatal(err)
	}
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	if got := slice(cmd.Process.Pid); got != uint64(shortestSlice) {
		t.Errorf("the process has slices of %d ns, want %d", got, shortestSlice)
	}
	if after := slice(0); after != before {
		t.Errorf("this process has slices of %d ns, had %d", after, before)
	}
}
