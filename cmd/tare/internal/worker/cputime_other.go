//go:build !linux || portable

package worker

import (
	"os/exec"
	"strconv"
	"strings"
	"time"
)

func threadTimes(pid int) map[string]threadTime { return nil }

func requeue(pid int, threads []string) {}

// processTime is the CPU time of a process, by ps: "1-02:03:04" or "3:04.05". It
// reports false if there is no ps, or no such process.
func processTime(pid int) (used time.Duration, ok bool) {
	out, err := exec.Command("ps", "-o", "time=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return 0, false
	}
	days, text, ok := strings.Cut(strings.TrimSpace(string(out)), "-")
	if !ok {
		days, text = "0", days
	}
	seconds := 0.0
	for i, part := range append([]string{days}, strings.Split(text, ":")...) {
		n, err := strconv.ParseFloat(part, 64)
		if err != nil {
			return 0, false
		}
		seconds = n + seconds*[...]float64{0, 24, 60, 60}[min(i, 3)]
	}
	return time.Duration(seconds * float64(time.Second)), true
}
