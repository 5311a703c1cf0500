package machine

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/clock"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// Observation is the input of the checks. It has plain values, so that a
// check is a pure function. A value that was not read is zero, and no check
// reports it.
type Observation struct {
	Machine result.Machine
	// Before and After enclose a window in which this program did nothing.
	// Watched is false if there was no window.
	Before, After Counters
	Watched       bool
	// Last is taken after the measurements, which load the machine as a
	// benchmark does. It equals After if nothing was measured.
	Last Counters
	// Busiest are the processes that used the CPU in the window, most first.
	Busiest []Process
	// Runnable counts the tasks that ran or waited to run, without this one.
	// Load1 is the load average of the last minute.
	Runnable int
	Load1    float64

	// The caller fills in the following fields.

	// Clock is the result of the calibration, or nil if it was not run.
	Clock *clock.Calibration
	// Spins are the noise profiles of the CPUs.
	Spins []CPUProfile
	// LockHolder names the process that holds the measuring lock.
	LockHolder string
	// BuildFlags are the build flags of the benchmarks, including GOFLAGS.
	BuildFlags []string
}

// Process is a process that used the CPU while the machine was observed.
type Process struct {
	PID  int    `json:"pid"`
	Name string `json:"name"`
	// CPUs is its CPU time per wall time: 1 is one busy CPU.
	CPUs float64 `json:"cpus"`
}

// Observe reads the facts, and the load over the window in which wait blocks.
// With a nil wait there is no window, and rates are not judged.
func Observe(root fs.FS, wait func()) Observation {
	t := Tree{FS: root}
	o := Observation{Machine: Facts(root)}
	if wait != nil {
		ran := processTicks(t)
		o.Before = Snapshot(root)
		wait()
		o.After = Snapshot(root)
		o.Last = o.After
		o.Watched = true
		o.Busiest = busiest(ran, processTicks(t), o.After.Window(o.Before))
	}
	o.Load1, o.Runnable = readLoad(t)
	return o
}

// readLoad reads "0.20 0.18 0.12 1/80 11206" (proc_loadavg(5)). It does not
// count the running task that reads it.
func readLoad(t Tree) (load1 float64, runnable int) {
	f := strings.Fields(t.Text("proc/loadavg"))
	if len(f) < 4 {
		return 0, 0
	}
	load1, _ = strconv.ParseFloat(f[0], 64)
	running, _, _ := strings.Cut(f[3], "/")
	n, _ := strconv.Atoi(running)
	return load1, max(0, n-1)
}

type processRun struct {
	name  string
	ticks float64
}

// processTicks reads the CPU time that every process has used, in ticks.
func processTicks(t Tree) map[int]processRun {
	all := map[int]processRun{}
	for _, name := range t.Names("proc") {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		// pid (comm) state ppid … utime is field 14, stime 15. The name may
		// contain blanks and brackets, so count from the last bracket.
		stat := t.Text(path.Join("proc", name, "stat"))
		open, shut := strings.IndexByte(stat, '('), strings.LastIndexByte(stat, ')')
		if open < 0 || shut < open {
			continue
		}
		f := strings.Fields(stat[shut+1:])
		if len(f) < 13 {
			continue
		}
		user, _ := strconv.ParseFloat(f[11], 64)
		system, _ := strconv.ParseFloat(f[12], 64)
		all[pid] = processRun{stat[open+1 : shut], user + system}
	}
	return all
}

func busiest(before, after map[int]processRun, window float64) []Process {
	var list []Process
	for pid, p := range after {
		if used := (p.ticks - before[pid].ticks) / userHz / window; used >= 0.05 {
			list = append(list, Process{pid, p.name, used})
		}
	}
	slices.SortFunc(list, func(a, b Process) int { return cmp.Or(cmp.Compare(b.CPUs, a.CPUs), a.PID-b.PID) })
	return list
}
