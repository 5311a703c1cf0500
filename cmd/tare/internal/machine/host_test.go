package machine

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/process"
)

// hostRoot is the root of the machine that runs the tests.
func hostRoot(t testing.TB) fs.FS {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("no /proc here")
	}
	return os.DirFS("/")
}

func TestFactsHere(t *testing.T) {
	m := Facts(hostRoot(t))
	if m.OS != "linux" || m.Kernel == "" || m.MemoryBytes == 0 {
		t.Errorf("facts of this machine: %+v", m)
	}
	if got, want := ParseCPUList(m.CPU.Allowed), processors(t); !slices.Equal(got, want) {
		t.Errorf("Cpus_allowed_list %v, sched_getaffinity %v", got, want)
	}
}

// TestSnapshotHere: this process keeps a CPU busy, and the counters see it.
func TestSnapshotHere(t *testing.T) {
	root := hostRoot(t)
	before := Snapshot(root)
	if _, err := spin(t.Context(), nil, 200*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	after := Snapshot(root)
	var busy float64
	for cpu, now := range after.CPU {
		busy += now.Busy - before.CPU[cpu].Busy
	}
	if busy <= 0 {
		t.Errorf("no CPU was busy in 200 ms of spinning")
	}
}

func TestSpin(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("threads are pinned on Linux only")
	}
	cpus := processors(t)
	profiles, err := spin(t.Context(), cpus, 100*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if len(profiles) != len(cpus) {
		t.Fatalf("%d profiles of %d CPUs", len(profiles), len(cpus))
	}
	for _, p := range profiles {
		if p.UnitSeconds <= 0 || p.LostShare < 0 || p.LostShare > 1 || p.LongestSeconds > p.Seconds {
			t.Errorf("impossible profile %+v", p)
		}
	}
	after := processors(t)
	if !slices.Equal(after, cpus) {
		t.Errorf("spinning left the process on CPUs %v of %v", after, cpus)
	}
	if _, err := spin(t.Context(), []int{1<<16 - 1}, time.Millisecond); err == nil {
		t.Error("no error from a CPU that does not exist")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := spin(ctx, cpus, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled spin: %v", err)
	}
}

// TestProfile feeds known times: three interruptions among equal units.
func TestProfile(t *testing.T) {
	units := slices.Repeat([]float64{10e-6}, 97)
	units = append(units, 1010e-6, 60e-6, 12.6e-6)
	sum := 0.0
	for _, u := range units {
		sum += u
	}
	got := profile(3, units, time.Duration(1e9*sum))
	want := CPUProfile{CPU: 3, Seconds: sum, UnitSeconds: 1e-5, Interruptions: 3, LostShare: (1000e-6 + 50e-6 + 2.6e-6) / sum, LongestSeconds: 1e-3}
	near := func(a, b float64) bool { return a-b < 1e-12 && b-a < 1e-12 }
	if got.CPU != want.CPU || got.Interruptions != want.Interruptions || !near(got.UnitSeconds, want.UnitSeconds) ||
		!near(got.LostShare, want.LostShare) || !near(got.LongestSeconds, want.LongestSeconds) || !near(got.Seconds, want.Seconds) {
		t.Errorf("profile %+v, want %+v", got, want)
	}
}

// BenchmarkSnapshot: it is taken twice a block and should cost well under a
// millisecond.
func BenchmarkSnapshot(b *testing.B) {
	root := hostRoot(b)
	for b.Loop() {
		Snapshot(root)
	}
}

func processors(t *testing.T) []int {
	t.Helper()
	cpus, err := process.Processors()
	if err != nil {
		t.Fatal(err)
	}
	return cpus
}
