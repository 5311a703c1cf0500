package worker

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// processorTime is the time in which the threads of a process have run on a CPU
// or were ready to run. Known is false if the kernel does not record it.
func processorTime(pid int) (used time.Duration, known bool) {
	folder := filepath.Join("/proc", strconv.Itoa(pid), "task")
	threads, err := os.ReadDir(folder)
	if err != nil {
		return 0, false
	}
	for _, t := range threads {
		text, err := os.ReadFile(filepath.Join(folder, t.Name(), "schedstat"))
		if err != nil {
			continue
		}
		f := strings.Fields(string(text))
		for _, part := range f[:min(2, len(f))] {
			if n, err := strconv.ParseInt(part, 10, 64); err == nil {
				used, known = used+time.Duration(n), true
			}
		}
	}
	return used, known
}
