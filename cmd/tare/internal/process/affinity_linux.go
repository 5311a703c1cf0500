//go:build !portable

package process

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// Processors are the CPUs that this process may use. There are none if
// processes cannot be placed.
func Processors() (cpus []int, err error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("read CPUs: %w", err)
	}
	for cpu := range 64 * len(set) {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus, nil
}

// OnProcessors runs do on a thread that may use these CPUs. Processes that do
// starts inherit them. An empty list changes nothing.
func OnProcessors(cpus []int, do func() error) error {
	if len(cpus) == 0 {
		return do()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return fmt.Errorf("read CPUs: %w", err)
	}
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("set CPUs %v: %w", cpus, err)
	}
	defer unix.SchedSetaffinity(0, &before)
	return do()
}
