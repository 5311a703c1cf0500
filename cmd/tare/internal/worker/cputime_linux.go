package worker

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
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
		used, _, _ := strings.Cut(string(times), " ")
		n, err := strconv.ParseInt(used, 10, 64)
		if err != nil {
			continue
		}
		stat, _ := os.ReadFile(filepath.Join(folder, t.Name(), "stat"))
		state := stat[bytes.LastIndexByte(stat, ')')+1:]
		all[t.Name()] = threadTime{used: time.Duration(n), ready: bytes.HasPrefix(state, []byte(" R"))}
	}
	return all
}
