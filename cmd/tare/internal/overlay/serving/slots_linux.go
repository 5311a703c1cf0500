//go:build !portable

// The turn by futex, CPU time and delays by thread, and placement.

package testing

import (
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// The clocks of CPU time: CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID.
const tareProcessClock, tareThreadClock = 2, 3

func tareCPUTime(clock uintptr) int64 {
	var t syscall.Timespec
	// Raw: a thread that loses its CPU in another system call loses its P.
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clock, uintptr(unsafe.Pointer(&t)), 0)
	return t.Nano()
}

func tareProcessTime() int64 { return tareCPUTime(tareProcessClock) }

// tareDelay is how long a thread has been delayed so far, and has run, and the
// other threads of the process have run, in nanoseconds. If thread is 0, it is
// not known.
type tareDelay struct {
	thread          int
	ns, ran, others int64
}

// tareOthers is the largest share of the other threads in the CPU time, as 1 to
// so many, that leaves an operation to its own thread.
const tareOthers = 16

// until returns the delay up to now. It reports false if it does not tell the
// delay of the operation: a thread is not known, the goroutine continued in
// another one, or several threads share the work.
func (d tareDelay) until(now tareDelay) (ns int64, ok bool) {
	if d.thread == 0 || d.thread != now.thread || tareOthers*(now.others-d.others) > now.ran-d.ran {
		return 0, false
	}
	return now.ns - d.ns, true
}

var tareDelays = struct {
	thread int
	fd     uintptr
	text   [80]byte
}{}

// tareOpenDelay opens the file of this thread, unless it is open already. Its
// descriptor is above those that benchmarks use. It reports false if the kernel
// does not count delays.
func tareOpenDelay() bool {
	const leastFd = 64
	f, thread := &tareDelays, syscall.Gettid()
	if f.thread == thread {
		return true
	}
	if f.thread != 0 {
		syscall.Close(int(f.fd))
		f.thread = 0
	}
	fd, err := syscall.Open("/proc/self/task/"+strconv.Itoa(thread)+"/schedstat", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer syscall.Close(fd)
	high, _, errno := syscall.RawSyscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_DUPFD_CLOEXEC, leastFd)
	if errno != 0 {
		return false
	}
	f.thread, f.fd = thread, high
	return tareThreadDelay().thread != 0
}

// tareThreadDelay returns the delay of this thread so far, if its file is open.
// The delay is the second number in it.
//
//go:noinline
func tareThreadDelay() (d tareDelay) {
	f := &tareDelays
	thread, _, _ := syscall.RawSyscall(syscall.SYS_GETTID, 0, 0, 0)
	if int(thread) != f.thread {
		return d
	}
	n, _, errno := syscall.RawSyscall6(syscall.SYS_PREAD64, f.fd, uintptr(unsafe.Pointer(&f.text[0])), uintptr(len(f.text)), 0, 0, 0)
	if errno != 0 {
		return d
	}
	field := 0
	for _, c := range f.text[:n] {
		switch {
		case c == ' ' || c == '\n':
			field++
		case field == 1 && c >= '0' && c <= '9':
			d.ns = 10*d.ns + int64(c-'0')
		}
	}
	if tareSeveral {
		d.ran = tareCPUTime(tareThreadClock) // the file has that of the last turn
		d.others = tareCPUTime(tareProcessClock) - d.ran
	}
	if field >= 2 {
		d.thread = int(thread)
	}
	return d
}

// A turn is a futex word of the board, which needs no descriptors.
func tareOpenTurns(first, me, sides int) bool { return true }

// tareWaitTurn waits while the word has this value, or until a signal. Processes
// share the word: it has no private flag.
//
//go:noinline
func tareWaitTurn(word *uint32, value uint32) {
	const wait = 0
	syscall.RawSyscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(word)), wait, uintptr(value), 0, 0, 0)
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
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&poll)), 1, 0, 0, 0, 0)
	return errno
}

func tareRest() {
	step := syscall.NsecToTimespec(int64(time.Millisecond))
	syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&step)), 0, 0)
}

func tareWakeTurn(word *uint32, side uint32) {
	const wake = 1
	syscall.RawSyscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(word)), wake, 1, 0, 0, 0)
}

// tarePin moves all threads of the process to the CPUs of value, a list with
// commas. GOMAXPROCS stays: it was computed before, and is set explicitly now,
// so that the runtime does not recompute it.
func tarePin(value string) bool {
	var mask [1024 / 8 / unsafe.Sizeof(uintptr(0))]uintptr
	const bits = 8 * unsafe.Sizeof(uintptr(0))
	for len(value) > 0 {
		var first string
		first, value, _ = strings.Cut(value, ",")
		cpu, err := strconv.ParseUint(first, 10, 10)
		if err != nil {
			return false
		}
		mask[uintptr(cpu)/bits] |= 1 << (uintptr(cpu) % bits)
	}
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	// A thread that starts meanwhile inherits the CPUs of its parent thread.
	// Continue until every thread was moved.
	moved := make(map[int]bool)
	for {
		threads := tareThreads()
		more := false
		for _, tid := range threads {
			if moved[tid] {
				continue
			}
			moved[tid], more = true, true
			_, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, uintptr(tid), unsafe.Sizeof(mask), uintptr(unsafe.Pointer(&mask[0])))
			if errno != 0 && errno != syscall.ESRCH {
				return false
			}
		}
		if !more {
			return len(moved) > 0
		}
	}
}

func tareThreads() (tids []int) {
	fd, err := syscall.Open("/proc/self/task", syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer syscall.Close(fd)
	var buf [4096]byte
	for {
		n, err := syscall.ReadDirent(fd, buf[:])
		if err != nil || n <= 0 {
			return tids
		}
		_, _, names := syscall.ParseDirent(buf[:n], -1, nil)
		for _, name := range names {
			if tid, err := strconv.Atoi(name); err == nil {
				tids = append(tids, tid)
			}
		}
	}
}
