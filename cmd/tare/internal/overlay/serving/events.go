//go:build unix

// Events that stand still while the timer does.

package testing

import (
	"os"
	"strconv"
	"strings"
)

// tareEvents are the leaders of the event groups (perf_event_open) of our
// threads. The parent opens and reads them; in counting rounds it hands the
// leaders over, to be started and stopped with the timer. A group stands still
// with its leader, and with it what threads that start later inherit.
var tareEvents struct {
	leaders  []int
	threads  []int   // whose leader each is
	on, off  uintptr // requests of ioctl(2); architectures differ
	refused  int     // requests that failed: what was counted is worth nothing
	weighing bool    // empty intervals count, and the others do not
}

// tareEventsOn and tareEventsOff are for a timed interval, and for an empty
// one when those are calibrated.
func (b *B) tareEventsOn() {
	if len(tareEvents.leaders) > 0 && b.tare.calibrating == tareEvents.weighing {
		tareEventsSwitch(true)
	}
}

func (b *B) tareEventsOff() {
	if len(tareEvents.leaders) > 0 && b.tare.calibrating == tareEvents.weighing {
		tareEventsSwitch(false)
	}
}

// tareEventsSwitch starts the events of the calling thread last, and stops
// them first: what it does for the others is not counted.
func tareEventsSwitch(on bool) {
	request := tareEvents.off
	if on {
		request = tareEvents.on
	}
	me := tareThread()
	for _, mine := range [...]bool{!on, on} {
		for i, fd := range tareEvents.leaders {
			if (tareEvents.threads[i] == me) == mine && !tareIoctl(fd, request) {
				tareEvents.refused++
			}
		}
	}
}

// tareEventsReset lets the parent read, and so forget, what was counted
// before ResetTimer.
func (b *B) tareEventsReset() {
	if len(tareEvents.leaders) == 0 {
		return
	}
	tareEventsSwitch(false)
	tareParent.buf = append(tareParent.buf[:0], "reset"...)
	tareParent.send(false)
	if _, err := tareParent.in.ReadString('\n'); err != nil {
		os.Exit(3) // the parent is gone
	}
	if b.timerOn {
		tareEventsSwitch(true)
	}
}

// tareEventsCommand obeys "events ON OFF THREAD…", which announces the leaders
// of these threads on the socket, and "empty N", which asks for empty timed
// intervals. Both are answered with how many leaders there are and how many
// requests failed.
func (b *B) tareEventsCommand(word, rest string) bool {
	e := &tareEvents
	switch word {
	case "events":
		var v []int
		for _, f := range strings.Fields(rest) {
			n, _ := strconv.Atoi(f)
			v = append(v, n)
		}
		e.on, e.off, e.threads = uintptr(v[0]), uintptr(v[1]), v[2:]
		e.leaders = tareReceive(tareParent.socket, len(e.threads))
		tareEventsSwitch(false)
	case "empty":
		n, _ := strconv.Atoi(rest)
		e.weighing = true
		b.tareCalibrate(n)
		e.weighing = false
	default:
		return false
	}
	line := append(tareParent.buf[:0], "ready held="...)
	line = strconv.AppendInt(line, int64(len(e.leaders)), 10)
	line = append(line, " refused="...)
	tareParent.buf = strconv.AppendInt(line, int64(e.refused), 10)
	tareParent.send(false)
	return true
}
