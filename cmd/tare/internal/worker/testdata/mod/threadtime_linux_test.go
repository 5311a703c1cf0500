package mod

import (
	"syscall"
	"testing"
	"unsafe"
)

// threadTime is the CPU time of the thread in nanoseconds. Getrusage is only exact at
// a tick of the scheduler, and misses up to 4 ms.
func threadTime(b *testing.B) int64 {
	const thisThread = 3 // CLOCK_THREAD_CPUTIME_ID
	var t syscall.Timespec
	if _, _, err := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, thisThread, uintptr(unsafe.Pointer(&t)), 0); err != 0 {
		b.Fatal(err)
	}
	return t.Nano()
}
