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
