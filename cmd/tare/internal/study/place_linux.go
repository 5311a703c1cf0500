//go:build !portable

package study

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// restrictTo restricts all threads of this process, and so its later children,
// to some CPUs. A thread inherits the CPUs of its parent thread. So a second
// pass finds the threads that started meanwhile.
func restrictTo(cpus []int) error {
	var set unix.CPUSet
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	for range 2 {
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return fmt.Errorf("list threads: %w", err)
		}
		for _, t := range threads {
			id, err := strconv.Atoi(t.Name())
			if err != nil {
				continue
			}
			if err := unix.SchedSetaffinity(id, &set); err != nil && !errors.Is(err, unix.ESRCH) {
				return fmt.Errorf("move to CPUs %v: %w", cpus, err)
			}
		}
	}
	return nil
}
