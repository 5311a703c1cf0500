//go:build unix

package machine

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/cmd/tare/internal/test/child"
	"github.com/tarebench/tare/cmd/tare/internal/test/trees"
)

// plant writes a composed tree to disk, where tuning can write to it.
func plant(t *testing.T, name string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	root, _ := trees.Open(t, name)
	if err := os.CopyFS(dir, root.FS); err != nil {
		t.Fatal(err)
	}
	for _, sub := range []string{"after", "want"} {
		if err := os.RemoveAll(filepath.Join(dir, sub)); err != nil {
			t.Fatal(err)
		}
	}
	// CopyFS keeps the mode of an archive's files, which nobody may write.
	if err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			return os.Chmod(p, 0o644)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "run"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// withCpusets gives a planted tree the cpuset controller of version 2.
func withCpusets(t *testing.T, dir string) {
	t.Helper()
	write(t, filepath.Join(dir, "sys/fs/cgroup/cgroup.controllers"), "cpuset cpu memory\n")
	write(t, filepath.Join(dir, "sys/fs/cgroup/cgroup.subtree_control"), "cpu memory\n")
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// settings reads all of a tree on disk, without line ends: restoring writes
// the value, not the newline that the kernel shows after it.
func settings(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		if e.IsDir() {
			all[rel] = "folder"
			return nil
		}
		b, err := os.ReadFile(p)
		all[rel] = strings.TrimSpace(string(b))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func wantSettings(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	got := settings(t, dir)
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if want[name] != got[name] {
			t.Errorf("%s is %q, was %q", name, got[name], want[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if _, ok := got[name]; !ok {
			t.Errorf("%s is gone", name)
		}
	}
}

func TestTuneAndRestore(t *testing.T) {
	for _, name := range []string{"intel-desktop", "intel-laptop", "amd-desktop", "amd-server", "arm64-server", "intel-tuned", "kvm-guest"} {
		t.Run(name, func(t *testing.T) {
			dir := plant(t, name)
			before := settings(t, dir)
			plan := PlanTuning(os.DirFS(dir))
			tuning, err := startTuning(dir, plan, nil)
			if err != nil {
				t.Fatal(err)
			}
			// What tuning is for is gone, unless it said that it cannot.
			o := Observe(os.DirFS(dir), nil)
			for _, f := range Findings(&o) {
				if f.ID == "governor" || f.ID == "boost" {
					t.Errorf("tuned, and still %s; refused: %q", f.ID, tuning.Refused)
				}
			}
			if name == "intel-desktop" && len(tuning.Done) != 8+8+8+1 {
				t.Errorf("%d changes of governors, limits and boost, want 25", len(tuning.Done))
			}
			if name == "intel-tuned" && len(tuning.Done) != 0 {
				t.Errorf("a tuned machine was changed: %v", tuning.Done)
			}
			if err := tuning.Restore(); err != nil {
				t.Error(err)
			}
			if err := tuning.Restore(); err != nil {
				t.Errorf("second restore: %v", err)
			}
			wantSettings(t, dir, before)
		})
	}
}

// TestTuneLimits: the frequency is pinned to the base frequency.
func TestTuneLimits(t *testing.T) {
	dir := plant(t, "intel-laptop")
	tuning, err := startTuning(dir, PlanTuning(os.DirFS(dir)), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tuning.Restore()
	for _, p := range Facts(os.DirFS(dir)).CPU.Frequency {
		if p.MinHz != p.BaseHz || p.MaxHz != p.BaseHz || p.BaseHz == 0 {
			t.Errorf("CPUs %s run at %.0f to %.0f, want %.0f", p.CPUs, p.MinHz, p.MaxHz, p.BaseHz)
		}
	}
}

func TestShield(t *testing.T) {
	dir := plant(t, "intel-desktop")
	withCpusets(t, dir)
	before := settings(t, dir)
	plan := PlanTuning(os.DirFS(dir))
	tuning, err := startTuning(dir, plan, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Four cores of two threads, adjacent by four: core 0 is left alone.
	if got := settings(t, dir)["sys/fs/cgroup/tare/cpuset.cpus"]; got != "1-3,5-7" {
		t.Errorf("the shield has CPUs %s, want 1-3,5-7", got)
	}
	if plan.CPUs != "1-3" {
		t.Errorf("commands are kept on CPUs %s, want 1-3", plan.CPUs)
	}
	if err := tuning.Restore(); err != nil {
		t.Error(err)
	}
	before["sys/fs/cgroup/cgroup.subtree_control"] = "-cpuset" // a command to the kernel, which a file keeps
	wantSettings(t, dir, before)
}

// TestTuneRefused: a file that cannot be written is refused in words, and the
// rest is done.
func TestTuneRefused(t *testing.T) {
	dir := plant(t, "amd-desktop")
	gone := filepath.Join(dir, cpuDir, "cpufreq/policy3/scaling_governor")
	plan := PlanTuning(os.DirFS(dir))
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	var said []string
	tuning, err := startTuning(dir, plan, func(s string) { said = append(said, s) })
	if err != nil {
		t.Fatal(err)
	}
	if len(tuning.Done) != len(plan.Changes)-1 {
		t.Errorf("%d of %d changes were done", len(tuning.Done), len(plan.Changes))
	}
	if !slices.ContainsFunc(said, func(s string) bool { return strings.HasPrefix(s, "refused: governor of policy3") }) {
		t.Errorf("the refusal was not said: %q", said)
	}
	if err := tuning.Restore(); err != nil {
		t.Error(err)
	}
}

// TestMain lets this binary be the other process of the tests.
func TestMain(m *testing.M) {
	switch child.Role() {
	case "tuner":
		actAsTuner()
	case "holder": // take the lock, report it, hold it until killed
		_, err := Locker{File: os.Getenv("TARE_TEST_FILE")}.Lock(context.Background(), LockFail, nil)
		if err != nil {
			println(err.Error())
			os.Exit(1)
		}
		os.Stdout.WriteString("held\n")
		child.Hang()
	}
	os.Exit(m.Run())
}

// actAsTuner tunes the tree and says so after TARE_TEST_STEPS changes; then it
// hangs until it is killed.
func actAsTuner() {
	dir := os.Getenv("TARE_TEST_DIR")
	steps := len(os.Getenv("TARE_TEST_STEPS"))
	done := 0
	_, err := startTuning(dir, PlanTuning(os.DirFS(dir)), func(string) {
		if done++; done == steps {
			os.Stdout.WriteString("tuned\n")
			child.Hang()
		}
	})
	println("tuner ended early:", done, err)
	os.Exit(1)
}

// TestTuneKilled: killed with SIGKILL after any number of changes, the next
// start restores the tree; and while the tuner lives nobody meddles.
func TestTuneKilled(t *testing.T) {
	for _, steps := range []int{1, 2, 9, 17, 26, 29} {
		dir := plant(t, "intel-desktop")
		withCpusets(t, dir)
		before := settings(t, dir)
		tuner, line := child.Start(t, "tuner", "TARE_TEST_DIR="+dir, "TARE_TEST_STEPS="+strings.Repeat("x", steps))
		if line != "tuned" {
			t.Fatal(line)
		}
		if len(settings(t, dir)) == len(before) {
			t.Error("no journal while tuned")
		}
		if changes, err := RepairTuning(dir); err != nil || changes != nil {
			t.Errorf("repaired under a living tuner: %v, %v", changes, err)
		}
		if _, err := startTuning(dir, PlanTuning(os.DirFS(dir)), nil); !errors.Is(err, errTuned) {
			t.Errorf("two tuners: %v, want %v", err, errTuned)
		}
		child.Kill(t, tuner)
		// The kill may fall into a write: a torn last line.
		journal := filepath.Join(dir, journalPath)
		f, err := os.OpenFile(journal, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		f.WriteString(`{"path":"sys/devices/system/cpu/cpu`)
		f.Close()
		if _, err := startTuning(dir, PlanTuning(os.DirFS(dir)), nil); err == nil {
			t.Error("tuned on top of what a killed tuner left")
		}
		changes, err := RepairTuning(dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(changes) != steps {
			t.Errorf("%d changes were repaired, want %d", len(changes), steps)
		}
		if steps >= 26 {
			before["sys/fs/cgroup/cgroup.subtree_control"] = "-cpuset"
		}
		wantSettings(t, dir, before)
		if changes, err := RepairTuning(dir); err != nil || changes != nil {
			t.Errorf("second repair: %v, %v", changes, err)
		}
	}
}

// TestJournalComesFirst: while a change is being made, it stands in the
// journal already. A pipe in place of the setting holds the writer up.
func TestJournalComesFirst(t *testing.T) {
	dir := plant(t, "intel-desktop")
	plan := PlanTuning(os.DirFS(dir))
	pipe := filepath.Join(dir, cpuDir, "intel_pstate/no_turbo")
	if err := os.Remove(pipe); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	started := make(chan *Tuning, 1)
	go func() {
		tuning, err := startTuning(dir, plan, nil)
		if err != nil {
			t.Error(err)
		}
		started <- tuning
	}()
	written := func() bool {
		b, _ := os.ReadFile(filepath.Join(dir, journalPath))
		return strings.Contains(string(b), "no_turbo")
	}
	for end := time.Now().Add(time.Minute); !written() && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	if !written() {
		t.Error("the change is under way and not in the journal")
	}
	// Let the writer through, then the reader that looks what came of it.
	for _, flag := range []int{os.O_RDONLY, os.O_WRONLY} {
		f, err := os.OpenFile(pipe, flag, 0)
		if err != nil {
			t.Fatal(err)
		}
		if flag == os.O_RDONLY {
			if _, err := f.Read(make([]byte, 8)); err != nil {
				t.Error(err)
			}
		}
		f.Close()
	}
	tuning := <-started
	if err := os.Remove(pipe); err != nil {
		t.Fatal(err)
	}
	write(t, pipe, "1")
	if err := tuning.Restore(); err != nil {
		t.Error(err)
	}
	if got := settings(t, dir)[filepath.Join(cpuDir, "intel_pstate/no_turbo")]; got != "0" {
		t.Errorf("no_turbo is %q, was 0: what seemed refused is restored too", got)
	}
}

// TestRepairStaysBelowTheRoot: a journal that names other places is not
// followed.
func TestRepairStaysBelowTheRoot(t *testing.T) {
	dir := plant(t, "amd-desktop")
	victim := filepath.Join(filepath.Dir(dir), "victim")
	write(t, victim, "untouched")
	write(t, filepath.Join(dir, journalPath), `{"path":"../victim","from":"x","to":"y","what":"z"}`+"\n")
	if _, err := RepairTuning(dir); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(victim); string(b) != "untouched" {
		t.Errorf("the file outside became %q", b)
	}
}

// TestCommandIsPinned: a command runs on the CPUs set apart.
func TestCommandIsPinned(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("affinity is known on Linux only")
	}
	cpus := allowedCPUs()
	last := FormatCPUList(cpus[len(cpus)-1:])
	tuning := &Tuning{CPUs: last}
	var out strings.Builder
	cmd := exec.Command("grep", "Cpus_allowed_list", "/proc/self/status")
	cmd.Stdout = &out
	if err := tuning.Command(cmd); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if _, got, _ := strings.Cut(strings.TrimSpace(out.String()), "\t"); got != last {
		t.Errorf("the command ran on CPUs %q, want %q", got, last)
	}
}
