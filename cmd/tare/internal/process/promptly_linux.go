//go:build !portable

package process

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

const shortestSlice = 100 * time.Microsecond

// Promptly runs do on a thread with a short time slice, which its processes
// inherit. Next to programs that never sleep, such a process runs soon after
// it wakes, and gets no more CPU time. It needs no privilege. Kernels before
// 6.12 ignore it (docs/decisions/handoff.md).
func Promptly(do func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, err := unix.SchedGetAttr(0, 0)
	if err != nil || before.Policy != unix.SCHED_NORMAL {
		return do()
	}
	short := *before
	short.Runtime = uint64(shortestSlice)
	if unix.SchedSetAttr(0, &short, 0) == nil {
		defer unix.SchedSetAttr(0, before, 0)
	}
	return do()
}
