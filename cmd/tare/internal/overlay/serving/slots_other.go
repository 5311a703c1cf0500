//go:build unix && (!linux || portable)

// The turn by pipes, and CPU time and delays by process.

package testing

import (
	"syscall"
	"unsafe"
)

// tareTurnEnds are the pipes of the sides. Of its own pipe a worker has the end
// to read, and of the others the end to write.
var tareTurnEnds [tareMostSides]int

func tareOpenTurns(first, me, sides int) bool {
	for side := range min(sides, tareMostSides) {
		fd := first + side
		syscall.CloseOnExec(fd)
		// A full pipe wakes its reader too.
		if syscall.SetNonblock(fd, side != me) != nil {
			return false
		}
		tareTurnEnds[side] = fd
	}
	return true
}

// tareWaitTurn waits until another process has changed the word of this side. A
// byte may be left from an earlier turn, so the caller reads the word again.
func tareWaitTurn(word *uint32, value uint32) {
	var some [64]byte
	fd := tareTurnEnds[tareBatch.me]
	tareAwait(fd)
	syscall.Read(fd, some[:])
}

func tareWakeTurn(word *uint32, side uint32) {
	b := [1]byte{}
	syscall.RawSyscall(syscall.SYS_WRITE, uintptr(tareTurnEnds[side]), uintptr(unsafe.Pointer(&b)), 1)
}

// tarePoll waits for input of fd, or until a signal.
//
//go:noinline
func tarePoll(fd int) syscall.Errno {
	const in = 1
	poll := struct {
		fd          int32
		events, got int16
	}{fd: int32(fd), events: in}
	_, _, errno := syscall.RawSyscall(syscall.SYS_POLL, uintptr(unsafe.Pointer(&poll)), 1, ^uintptr(0))
	return errno
}

func tareRest() { syscall.RawSyscall(syscall.SYS_POLL, 0, 0, 1) }

func tareProcessTime() int64 {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return r.Utime.Nano() + r.Stime.Nano()
}

// tareDelay is how often the threads of the process have given up or lost their
// CPU, plus 1, or 0 if it is not known.
type tareDelay struct{ switches int64 }

// until reports a delay of 0 if no thread gave up or lost its CPU. Otherwise it is
// not known: macOS counts the waits of the runtime as losses.
func (d tareDelay) until(now tareDelay) (ns int64, ok bool) {
	return 0, d.switches != 0 && d == now
}

func tareOpenDelay() bool { return tareThreadDelay().switches != 0 }

func tareThreadDelay() (d tareDelay) {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return d
	}
	return tareDelay{1 + int64(r.Nvcsw) + int64(r.Nivcsw)}
}

// Processes cannot be placed.
func tarePin(value string) bool { return false }
