package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestBisectInterrupt presses Ctrl-C during a measurement of a bisection, and goes on
// with it.
func TestBisectInterrupt(t *testing.T) {
	b := newBench(t, false)
	b.write(".git/info/exclude", "/.tare\n")
	for _, n := range []int{1, 1, 2} {
		b.write("m_test.go", fmt.Sprintf(holdModule, fmt.Sprintf("for range %d {\n\t\t\tkept = new(int)\n\t\t}", n)))
		b.write("README", fmt.Sprint(len(b.command("git", "rev-list", "HEAD"))))
		b.command("git", "add", ".")
		b.command("git", "-c", "commit.gpgsign=false", "commit", "-qm", fmt.Sprintf("allocates %d", n))
	}
	held := filepath.Join(filepath.Dir(b.dir), "held")
	b.env = append(b.env, "HELD="+held)
	clean := b.checkout()
	cmd, stdout, stderr := b.held(held, "HOLD_AFTER="+filepath.Join(b.dir, ".tare", "*-bisect", "bisect.jsonl"), "bisect", "-units", "allocs/op", "-bench", "Work", "HEAD~2", "HEAD")
	syscall.Kill(-cmd.Process.Pid, syscall.SIGINT)
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != exitFailed {
		t.Errorf("interrupted: %v\n%s\n%s", err, stdout, stderr)
	}
	if !strings.Contains(stderr.String(), "tare bisect -units allocs/op -bench Work 'HEAD~2' HEAD -resume") {
		t.Errorf("it does not say how to go on:\n%s", stderr)
	}
	b.nothingLeft(clean)
	folders, err := filepath.Glob(filepath.Join(b.dir, ".tare", "*-bisect"))
	if err != nil || len(folders) != 1 {
		t.Fatalf("folders %v, %v", folders, err)
	}
	if data, err := os.ReadFile(filepath.Join(folders[0], "bisect.jsonl")); err != nil || strings.Count(string(data), "\n") < 2 {
		t.Errorf("no answer is on record: %v\n%s", err, data)
	}
	again := b.prepare(b.tare, "bisect", "-resume", folders[0], "-units", "allocs/op", "-bench", "Work", "HEAD~2", "HEAD")
	out, _ := again.CombinedOutput()
	if again.ProcessState.ExitCode() != 0 || !strings.Contains(string(out), "allocates 2  1 to 2 allocs/op") {
		t.Errorf("resumed, it ends with %d and says\n%s", again.ProcessState.ExitCode(), out)
	}
	b.nothingLeft(clean)
}
