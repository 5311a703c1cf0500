//go:build !portable

package machine

import "golang.org/x/sys/unix"

// suspendedSeconds is how long the machine has slept since boot. CLOCK_BOOTTIME
// counts suspended time, CLOCK_MONOTONIC does not.
func suspendedSeconds() float64 {
	var boot, awake unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot) != nil || unix.ClockGettime(unix.CLOCK_MONOTONIC, &awake) != nil {
		return 0
	}
	return float64(boot.Nano()-awake.Nano()) / 1e9
}

// ownSeconds is the CPU time of this process and of its children that have ended.
func ownSeconds() (seconds float64) {
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var u unix.Rusage
		if unix.Getrusage(who, &u) == nil {
			seconds += float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
		}
	}
	return seconds
}
