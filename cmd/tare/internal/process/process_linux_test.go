package process

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets a test start this binary as a program that runs a command and
// is killed.
func TestMain(m *testing.M) {
	switch os.Getenv("PROCESS_TEST_VICTIM") {
	case "guards":
		cmd := Command(context.Background(), "sh", "-c", "sleep 600 & echo $!; wait")
		out, err := cmd.StdoutPipe()
		Guard(cmd, func(start func() error) error {
			fmt.Print(err, start(), " ") // printed after the group is known to the guard
			io.Copy(os.Stdout, out)
			return cmd.Wait()
		})
		os.Exit(0)
	case "starts":
		cmd := Command(context.Background(), "sleep", "600")
		fmt.Println(cmd.Start(), cmd.Process.Pid)
		cmd.Wait()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// patience is how long a process may take to go.
const patience = time.Minute

// gone waits until there is no such process, or it is a zombie.
func gone(pid int) bool {
	for began := time.Now(); time.Since(began) < patience; time.Sleep(5 * time.Millisecond) {
		stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		if err != nil || bytes.Contains(stat, []byte(") Z ")) {
			return true
		}
	}
	return false
}

// child starts a shell that has a child, by Command, and returns the child.
func child(t *testing.T, ctx context.Context) (cmd *exec.Cmd, pid int) {
	t.Helper()
	cmd = Command(ctx, "sh", "-c", "sleep 600 & echo $!; wait")
	cmd.WaitDelay = 50 * time.Millisecond
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if pid, err = strconv.Atoi(strings.TrimSpace(line)); err != nil {
		t.Fatal(err)
	}
	return cmd, pid
}

func TestGroupEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cmd, pid := child(t, ctx)
	cancel()
	if err := cmd.Wait(); err == nil {
		t.Error("a killed command ended well")
	}
	if !gone(pid) {
		t.Error("what the command had started outlives it")
	}
}

func TestKillReachesWhatACommandLeft(t *testing.T) {
	t.Parallel()
	cmd, pid := child(t, t.Context())
	cmd.Process.Kill()
	cmd.Wait()
	if err := Kill(cmd); err != nil {
		t.Error(err)
	}
	if !gone(pid) {
		t.Error("what the command had started outlives it")
	}
	if err := Kill(exec.Command("true")); err != nil {
		t.Error(err)
	}
}

// TestCommandDiesWithUs: kill -9 gives nobody the chance to clean up.
func TestCommandDiesWithUs(t *testing.T) {
	t.Parallel()
	dieWithUs(t, "starts")
}

// TestGuardedGroupDiesWithUs: so do the processes that a command has started.
func TestGuardedGroupDiesWithUs(t *testing.T) {
	t.Parallel()
	dieWithUs(t, "guards")
}

// dieWithUs kills a victim that prints a process, which must die with it.
func dieWithUs(t *testing.T, kind string) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	victim := exec.Command(self)
	victim.Env = append(os.Environ(), "PROCESS_TEST_VICTIM="+kind)
	out, err := victim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	defer victim.Wait()
	defer victim.Process.Kill()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(line)
	pid, err := strconv.Atoi(fields[len(fields)-1])
	if err != nil {
		t.Fatalf("it said %q", line)
	}
	if err := syscall.Kill(pid, 0); err != nil {
		t.Fatalf("the command does not live: %v", err)
	}
	victim.Process.Kill()
	if !gone(pid) {
		t.Error("the command outlives a killed parent")
	}
}

// TestOutputHeldOpen: a command that ended well has succeeded, even where a
// child of it keeps its output open; one that failed has not.
func TestOutputHeldOpen(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]int{"sleep 600 & echo done": 0, "sleep 600 & echo done; exit 3": 3} {
		cmd := Command(t.Context(), "sh", "-c", script)
		var out bytes.Buffer
		cmd.Stdout = &out
		err := Ended(cmd.Run())
		Kill(cmd)
		got := 0
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			got = exit.ExitCode()
		} else if err != nil {
			got = -1
		}
		if got != want || out.String() != "done\n" {
			t.Errorf("%s: ended with %v and %q", script, err, out.String())
		}
	}
}
