//go:build unix

// Delays of a thread: it was ready to run, but others had its CPU.

package testing

import "runtime"

// tareFollowing is the delay in timed intervals. It reads the delay at both ends
// of an interval, outside of the timed part. A read takes 0.4 µs in the kernel,
// which would disturb many short intervals. A slice with more than a few of them
// is not followed.
type tareFollowing struct {
	able  bool // reads tell the delay of the operation
	on    bool // the next interval is followed
	known bool // every interval since the slice began was followed
	from  tareDelay
	sum   int64
	// reads and timed are the intervals of the slice, and their time.
	reads, timed int64
	// cpu is the CPU time of the process in the intervals of a long run.
	long         bool
	cpu, cpuFrom int64
}

// tareLeastFollowed is the least mean time, in nanoseconds, of more than
// tareReadsPerRun intervals that are followed.
const tareLeastFollowed = 50e3

var tareSeveral bool

func (f *tareFollowing) follow() {
	tareSeveral = runtime.GOMAXPROCS(0) > 1
	f.able = tareParent != nil && tareOpenDelay()
	f.reset()
}

func (f *tareFollowing) reset() { f.on, f.known, f.reads, f.timed = f.able, f.able, 0, 0 }

func (f *tareFollowing) start() {
	if f.long {
		f.cpuFrom = tareProcessTime()
	}
	if f.on {
		f.from = tareThreadDelay()
	}
}

func (f *tareFollowing) stop(d int64) {
	if f.long {
		f.cpu += tareProcessTime() - f.cpuFrom
	}
	if !f.on {
		f.known = false
		return
	}
	ns, ok := f.from.until(tareThreadDelay())
	if ns <= d { // a longer one was between a read and the interval
		f.sum += ns
	}
	f.known = f.known && ok
	f.reads, f.timed = f.reads+1, f.timed+d
	f.on = f.known && (f.reads < tareReadsPerRun || f.timed >= f.reads*tareLeastFollowed)
}

// since returns the delay in the running interval.
func (f *tareFollowing) since() int64 {
	if !f.on {
		return 0
	}
	ns, _ := f.from.until(tareThreadDelay())
	return ns
}
