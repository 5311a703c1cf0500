package worker

import (
	"errors"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestRequeue: a thread that was moved may still use the CPUs that it was given, and
// a thread that has ended is no error.
func TestRequeue(t *testing.T) {
	var all unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	requeue(pid, []string{strconv.Itoa(pid), "0", "x"})
	for cpu := range 64 * len(all) {
		if !all.IsSet(cpu) {
			continue
		}
		var one, now unix.CPUSet
		one.Set(cpu)
		if err := unix.SchedSetaffinity(pid, &one); err != nil {
			t.Fatal(err)
		}
		requeue(pid, []string{strconv.Itoa(pid)})
		if err := unix.SchedGetaffinity(pid, &now); err != nil || now != one {
			t.Errorf("a thread of CPU %d may use %v, %v", cpu, now, err)
		}
	}
	cmd.Process.Kill()
	cmd.Wait()
	requeue(pid, []string{strconv.Itoa(pid)})
}

// TestAbsent: until all workers have come to a batch, the one that is missing is
// watched, even if the first slot belongs to another one.
func TestAbsent(t *testing.T) {
	g := startGroup(t, "local", "BenchmarkSub/size=1", 2, Options{Timeout: patience, Stall: 300 * time.Millisecond})
	if err := syscall.Kill(pid(g, 1), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	_, err := g.Run(t.Context(), mirrored(2, 1, 1))
	var of *SideError
	if !errors.Is(err, ErrStalled) || !errors.As(err, &of) || of.Side != 1 {
		t.Errorf("side 1 is stopped: %v", err)
	}
}
