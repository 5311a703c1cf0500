package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// holdAllocations is a module whose second commit allocates more, by a function
// that the test fills in; see holdModule.
const holdAllocations = `package m

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

var (
	sink      *int
	processes int
	calls     int
)

func init() {
	os.WriteFile(filepath.Join(os.Getenv("CRASH_LOG"), fmt.Sprint(os.Getpid())), nil, 0o666)
	all, _ := os.ReadDir(os.Getenv("CRASH_LOG"))
	processes = len(all)
}

func BenchmarkWork(b *testing.B) {
	calls++
	if os.Getenv("HOLD") == fmt.Sprint(processes, " ", calls) {
		os.WriteFile(os.Getenv("HELD"), nil, 0o666)
		time.Sleep(time.Hour)
	}
	for range b.N {
		for range %d {
			sink = new(int)
		}
	}
}
`

// TestBisectInterrupt presses Ctrl-C during a measurement of a bisection, and goes on
// with it.
func TestBisectInterrupt(t *testing.T) {
	b := newBench(t, false)
	b.write(".git/info/exclude", "/.tare\n")
	for _, n := range []int{1, 1, 2} {
		b.write("m_test.go", fmt.Sprintf(holdAllocations, n))
		b.write("README", fmt.Sprint(len(b.command("git", "rev-list", "HEAD"))))
		b.command("git", "add", ".")
		b.command("git", "-c", "commit.gpgsign=false", "commit", "-qm", fmt.Sprintf("allocates %d", n))
	}
	held := filepath.Join(filepath.Dir(b.dir), "held")
	b.env = append(b.env, "HELD="+held)
	clean := b.checkout()
	// The first question takes twenty processes, all questions more than forty.
	cmd, stdout, stderr := b.held(held, "HOLD=21 1", "bisect", "-unit", "allocs/op", "-bench", "Work", "HEAD~2", "HEAD")
	syscall.Kill(-cmd.Process.Pid, syscall.SIGINT)
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != exitFailed {
		t.Errorf("interrupted: %v\n%s\n%s", err, stdout, stderr)
	}
	if !strings.Contains(stderr.String(), "tare bisect -resume") {
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
	again := b.prepare(b.tare, "bisect", "-resume", folders[0])
	out, _ := again.CombinedOutput()
	if again.ProcessState.ExitCode() != exitFound || !strings.Contains(string(out), "allocates 2  1 to 2 allocs/op") {
		t.Errorf("gone on with, it ends with %d and says\n%s", again.ProcessState.ExitCode(), out)
	}
	b.nothingLeft(clean)
	if data, err := os.ReadFile(filepath.Join(folders[0], "log.sh")); err != nil || !strings.Contains(string(data), "# 1 to 2\ntare compare ") {
		t.Errorf("log.sh: %v\n%s", err, data)
	}
}
