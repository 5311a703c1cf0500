package worker

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestMonitorRests: while slices run, the monitor thread of the runtime polls every
// 10 ms. After a start it polls 57 times within some milliseconds, and again if the
// runtime notices that a worker waits.
func TestMonitorRests(t *testing.T) {
	const n, rounds = 100_000, 40
	// After a start, and after the parent has planned for some time.
	for _, pause := range []time.Duration{0, 20 * time.Millisecond} {
		g := startGroup(t, "local", "BenchmarkSub/size=1", 2, Options{Timeout: patience, CPUs: []int{0}})
		run(t, g, mirrored(2, 1, 1))
		time.Sleep(pause)
		before, began := waits(t, g), time.Now()
		run(t, g, mirrored(2, rounds, n))
		took := time.Since(began)
		waited := waits(t, g) - before
		// The sides change once a round. A monitor that rests wakes itself and its
		// thread that waits for a turn.
		most := rounds + 30 + 6*int(took/(10*time.Millisecond))
		t.Logf("after %v the threads waited %d times in %d rounds and %v", pause, waited, rounds, took)
		if waited > most {
			t.Errorf("after %v the threads waited %d times, want at most %d", pause, waited, most)
		}
		g.Close()
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
