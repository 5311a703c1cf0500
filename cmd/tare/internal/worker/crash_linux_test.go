package worker

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// victim is a parent that is killed in the middle of a batch.
func victim(path string) {
	c := Config{Path: path, Dir: filepath.Join("testdata", "mod"), Env: os.Environ(), Bench: result.ExactPattern("BenchmarkLoop"), Name: "BenchmarkLoop", Procs: 2}
	g, err := StartGroup(context.Background(), []Config{c, c}, Options{})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(pid(g, 0), pid(g, 1))
	for {
		if _, err := g.Run(context.Background(), mirrored(2, 1000, 1000)); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
}

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

// testParentKilled: kill -9 of the parent leaves no worker behind, though they
// wait for each other and not for it.
func testParentKilled(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "WORKER_TEST_VICTIM="+binary(t, "local"))
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
	time.Sleep(50 * time.Millisecond) // into a batch, in all likelihood
	cmd.Process.Kill()
	cmd.Wait()
	fields := strings.Fields(line)
	if len(fields) != 2 {
		t.Fatalf("the parent says %q", line)
	}
	for _, f := range fields {
		pid, err := strconv.Atoi(f)
		if err != nil || !gone(pid) {
			t.Errorf("worker %q outlives its parent", f)
		}
	}
}

// testWorkerKilled: the slices before it are there, and the other worker ends in
// order.
func testWorkerKilled(t *testing.T) {
	g := startGroup(t, "local", "BenchmarkLoop", 2, modes["direct"])
	run(t, g, mirrored(2, 4, 10))
	time.AfterFunc(50*time.Millisecond, func() { syscall.Kill(pid(g, 1), syscall.SIGKILL) })
	slots := mirrored(2, 4000, 10_000)
	taken, err := g.Run(t.Context(), slots)
	var of *SideError
	if !errors.As(err, &of) || of.Side != 1 || !errors.Is(err, ErrGone) || of.Exit == nil || !strings.Contains(of.Exit.Error(), "killed") {
		t.Fatalf("%d of %d slices, %v", len(taken), len(slots), err)
	}
	ends, _ := g.End(t.Context())
	if ends[0].Kind != Over {
		t.Errorf("the other one ended with %+v", ends[0])
	}
}

// testPinned: all threads of the workers run where they should, the runtime
// still knows all processors, and GOMAXPROCS is what was asked for.
func testPinned(t *testing.T) {
	if cpus, _ := process.Processors(); len(cpus) == 0 {
		t.Skip("processes are not placed here")
	}
	var before unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		t.Fatal(err)
	}
	last := -1
	for cpu := range 1024 {
		if before.IsSet(cpu) {
			last = cpu
		}
	}
	o := modes["direct"]
	o.CPUs = []int{last}
	for _, procs := range []int{0, 3} {
		t.Setenv("GOMAXPROCS", "5")
		c := config(t, "local", "BenchmarkProcessors")
		c.Procs = procs
		g, err := StartGroup(t.Context(), []Config{c, c}, o)
		if err != nil {
			t.Fatal(err)
		}
		taken := run(t, g, mirrored(2, 4, 10))
		m := taken[len(taken)-1].Metrics
		want := float64(procs)
		if procs == 0 {
			want = 5 // of the environment
		}
		if m["gomaxprocs"] != want || int(m["cpus"]) != before.Count() {
			t.Errorf("GOMAXPROCS %g, want %g; the runtime counts %g processors of %d", m["gomaxprocs"], want, m["cpus"], before.Count())
		}
		if got := g.Leaf(0).CPUs; got != strconv.Itoa(last) {
			t.Errorf("announced on processors %q", got)
		}
		folder := filepath.Join("/proc", strconv.Itoa(pid(g, 0)), "task")
		threads, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, thread := range threads {
			tid, _ := strconv.Atoi(thread.Name())
			var set unix.CPUSet
			if err := unix.SchedGetaffinity(tid, &set); err == nil && (set.Count() != 1 || !set.IsSet(last)) {
				t.Errorf("thread %d may use %d processors", tid, set.Count())
			}
		}
		g.Close()
	}
	var after unix.CPUSet
	if err := unix.SchedGetaffinity(0, &after); err != nil || after != before {
		t.Errorf("our own processors have changed: %v", err)
	}
}

func TestCrash(t *testing.T) {
	defer removeTemp(t)
	t.Run("parent killed", testParentKilled)
	t.Run("worker killed", testWorkerKilled)
	t.Run("pinned", testPinned)
	t.Run("lock file", testLockFile)
}

// testLockFile: of two workers, one has the file that only one can create. It is
// ended in order when the other fails, so that the file goes.
func testLockFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "held.lock")
	t.Setenv("TARE_TEST_LOCK", name)
	c := config(t, "local", "BenchmarkLockFile")
	_, err := StartGroup(t.Context(), []Config{c, c}, modes["direct"])
	var of *SideError
	if !errors.As(err, &of) || of.Message.Kind != Fail || !strings.Contains(of.Message.Words, "file exists") {
		t.Errorf("two of them: %v", err)
	}
	if _, err := os.Stat(name); err == nil {
		t.Error("the lock file is left behind")
	}
}
