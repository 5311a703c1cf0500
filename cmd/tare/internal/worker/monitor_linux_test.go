package worker

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestMonitorRests: while slices run, the monitor thread of the runtime polls every
// 10 ms. After a start it polls 57 times within some milliseconds, and again if the
// runtime notices that a worker waits. Slices right after the start may have half of
// these polls more than later slices. None has more waits than turns and rest need.
func TestMonitorRests(t *testing.T) {
	const n, rounds, groups, polls = 100_000, 40, 9, 57
	const quartile = groups / 4
	count := func(pause time.Duration) (waited, most int) {
		g := startGroup(t, "local", "BenchmarkSub/size=1", 2, Options{Timeout: patience, CPUs: []int{0}})
		defer g.Close()
		onCPU0(t, g)
		run(t, g, mirrored(2, 1, 1))
		time.Sleep(pause) // the parent plans
		before, began := waits(t, g), time.Now()
		run(t, g, mirrored(2, rounds, n))
		took := time.Since(began)
		// The sides change once a round. A monitor that rests wakes itself and its
		// thread that waits for a turn.
		return waits(t, g) - before, rounds + 30 + 6*int(took/(10*time.Millisecond))
	}
	// Other programs wake the monitor of some groups: the lower quartile of nine.
	var first, later, over []int
	for range groups {
		waited, _ := count(0)
		first = append(first, waited)
		waited, most := count(20 * time.Millisecond)
		later, over = append(later, waited), append(over, waited-most)
	}
	slices.Sort(first)
	slices.Sort(later)
	slices.Sort(over)
	t.Log("waits after the start:", first, "later:", later)
	if f, l := first[quartile], later[quartile]; f > l+polls/2 {
		t.Errorf("the threads waited %d times after the start, later %d times", f, l)
	}
	if over[quartile] > 0 {
		t.Errorf("the threads waited %d times more than %d rounds need", over[quartile], rounds)
	}
}

// onCPU0 places the workers where the build for other systems places none: on two CPUs
// the monitor of one would wait for the other.
func onCPU0(t *testing.T, g Group) {
	t.Helper()
	var cpu unix.CPUSet
	cpu.Set(0)
	for _, s := range g.(*group).sides {
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", s.w.Pid()))
		for _, task := range tasks {
			id, _ := strconv.Atoi(filepath.Base(task))
			if err := unix.SchedSetaffinity(id, &cpu); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// waits counts how often the threads of the workers have waited.
func waits(t *testing.T, g Group) (sum int) {
	t.Helper()
	for _, s := range g.(*group).sides {
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", s.w.Pid()))
		for _, task := range tasks {
			text, err := os.ReadFile(task)
			if err != nil {
				t.Fatal(err)
			}
			_, count, _ := strings.Cut(string(text), "\nvoluntary_ctxt_switches:")
			count, _, _ = strings.Cut(count, "\n")
			k, err := strconv.Atoi(strings.TrimSpace(count))
			if err != nil {
				t.Fatalf("%s: %v", task, err)
			}
			sum += k
		}
	}
	return sum
}
