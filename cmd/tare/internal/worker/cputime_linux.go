//go:build !portable

package worker

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// threadTimes are the CPU times of the threads of a process. They are empty if
// the kernel does not record them.
func threadTimes(pid int) map[string]threadTime {
	folder := filepath.Join("/proc", strconv.Itoa(pid), "task")
	threads, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	all := make(map[string]threadTime)
	for _, t := range threads {
		times, err := os.ReadFile(filepath.Join(folder, t.Name(), "schedstat"))
		if err != nil {
			continue
		}
		var used, delayed int64
		if _, err := fmt.Sscan(string(times), &used, &delayed); err != nil {
			continue
		}
		stat, _ := os.ReadFile(filepath.Join(folder, t.Name(), "stat"))
		state := stat[bytes.LastIndexByte(stat, ')')+1:]
		all[t.Name()] = threadTime{used: time.Duration(used), delayed: time.Duration(delayed), ready: bytes.HasPrefix(state, []byte(" R"))}
	}
	return all
}

// requeue moves threads that are ready, but do not run, to another CPU. Threads that
// must stay on theirs come back at once. Both ways the kernel places a thread anew
// among the programs of a CPU, and no longer behind those whose virtual time went
// back (docs/decisions/handoff.md).
func requeue(pid int, threads []string) {
	for _, thread := range threads {
		tid, err := strconv.Atoi(thread)
		stat, statErr := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "task", thread, "stat"))
		var allowed, others unix.CPUSet
		if err != nil || statErr != nil || unix.SchedGetaffinity(tid, &allowed) != nil {
			continue // it has ended
		}
		const processor = 36 // field 39 of proc_pid_stat(5), after the name
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) <= processor {
			continue
		}
		here, err := strconv.Atoi(string(fields[processor]))
		if err != nil {
			continue
		}
		for cpu := range 64 * len(others) { // the kernel ignores CPUs that it does not have
			if cpu != here {
				others.Set(cpu)
			}
		}
		if unix.SchedSetaffinity(tid, &others) == nil {
			_ = unix.SchedSetaffinity(tid, &allowed)
		}
	}
}

// processTime is not needed: the times of the threads are known.
func processTime(pid int) (time.Duration, bool) { return 0, false }
