package tare

import (
	"math"

	"github.com/tarebench/tare/internal/ticks"
)

// laps times consecutive laps with one read of the clock for each. A lap goes
// from read to read. It includes the work of next between its read and its
// return, and the call of next. Fences keep the CPU from doing any of that
// during the operation, so it costs the same in every lap. Calibration measures
// this cost, and a distribution subtracts it. To keep it small, a lap is only
// stored here. flush counts many at once, outside of any lap.
type laps struct {
	// Read and written in every lap.
	left                     int // operations left in this lap
	more                     int // operations of a lap after the first one
	n, limit                 int // laps in buffer, and their limit before flush (0: no lap runs)
	last                     int64
	now                      int64 // read at the end of the lap, before last is set to it
	deadline                 int64
	cycles                   bool // read the counter, not clock.Now
	unfenced                 bool // read clock.Now without fences
	paused                   bool
	pauses                   int64 // begun in this lap
	away                     int64 // ticks paused in this lap
	since                    int64 // start of the pause
	pauseTicks, anotherTicks int64 // subtracted from a lap for its first pause, for each later one
	pausing                  pausing
	buffer                   [256]int64

	settings
	target      int64 // laps, or operations with batches
	calibrating bool
	overhead    overhead
	collected
}

type pausing struct {
	laps, pauses int64
	ticks        int64 // subtracted for them, lap by lap
}

// read waits for the operation to end and reads the clock.
func (l *laps) read() int64 {
	if l.cycles {
		return ticks.After()
	}
	if !l.unfenced {
		ticks.Fence() // Now has one, after a part of its work
	}
	return ticks.Now()
}

// fence delays the operation until the timing before it has finished.
func (l *laps) fence() {
	if !l.unfenced {
		ticks.Fence()
	}
}

// nextInGo is next without assembly: it ends a lap and begins another one.
//
//lint:ignore U1000 laps_amd64.s continues here
func nextInGo(l *laps) bool {
	l.now = l.read()
	return endLap(l)
}

// endLap continues after the read of the clock.
//
//lint:ignore U1000 laps_amd64.s continues here
func endLap(l *laps) bool {
	t, n := l.now, l.n
	if l.pauses > 0 {
		return l.endPausedLap(t)
	}
	l.buffer[n&(len(l.buffer)-1)] = t - l.last // the caller checked n, the mask saves a check
	n++
	if n >= l.limit || t >= l.deadline {
		return l.flush(t)
	}
	l.n = n
	l.last = t
	l.left = l.more
	l.fence()
	return true
}

// endPausedLap is endLap for a lap with pauses. It begins the next lap with a
// separate read, after all other work. That work takes 1 to 5 ns longer after a
// real pause than after the empty one of calibration, and would count for the
// next lap.
func (l *laps) endPausedLap(t int64) bool {
	l.buffer[l.n&(len(l.buffer)-1)] = l.withoutPauses(t, t-l.last)
	if l.n+1 >= l.limit || t >= l.deadline {
		return l.flush(t)
	}
	l.n++
	l.left = l.more
	l.last = l.read()
	l.fence()
	return true
}

// withoutPauses subtracts the pauses of a lap: their time, and the typical cost
// of pausing in whole ticks. The distribution subtracts the rest of that cost
// from the mean. Calibration does the same, or it would measure less.
func (l *laps) withoutPauses(t, lap int64) int64 {
	if l.paused { // resumed by ending the lap
		l.away += t - l.since
		l.paused = false
	}
	cost := l.pauseTicks + (l.pauses-1)*l.anotherTicks
	lap -= l.away + cost
	l.pausing.laps++
	l.pausing.pauses += l.pauses
	l.pausing.ticks += cost
	l.away, l.pauses = 0, 0
	return lap
}

func (l *laps) pause() {
	t := l.read()
	if l.paused || l.limit == 0 {
		return
	}
	if l.batches.running {
		l.withoutBatches()
		return
	}
	l.paused = true
	l.pauses++
	l.since = t
}

func (l *laps) resume() {
	if !l.paused {
		return
	}
	t := l.read()
	l.paused = false
	l.away += t - l.since
	l.fence()
}

// begin starts a lap if none runs, but none after the end.
func (l *laps) begin() bool {
	if l.finished || l.calibrating || l.target <= 0 {
		return false
	}
	if !l.started {
		l.prepare()
	}
	l.startAgain()
	return true
}

func (l *laps) prepare() {
	l.started = true
	l.moment = ticks.Pair()
	l.useOverhead()
	l.deadline = math.MaxInt64
	// More than 2⁶² ticks, many years, is no limit.
	if ticks := float64(l.until) / l.overhead.nanosPerTick; ticks < 1<<62 {
		l.deadline = l.read() + int64(max(0, ticks))
	}
}

func (l *laps) useOverhead() {
	l.cycles, l.unfenced = l.overhead.cycles, l.overhead.unfenced
	l.histogram = newTicks()
	l.ring = make([]int64, 0, min(l.keep, 1<<12)) // it grows between laps
	l.pauseTicks = int64(math.Round(l.overhead.pause.Typical))
	l.anotherTicks = int64(math.Round(l.overhead.another.Typical))
	l.nextCheck = 100
	l.batches.decided = !l.accurateMean
	l.batches.random = 0x9E3779B97F4A7C15
}

func (l *laps) startAgain() {
	l.n = 0
	l.more = l.repeat - 1
	left := l.target - l.done()
	l.limit = int(min(int64(len(l.buffer)), left))
	if size := int64(l.batches.size); l.batches.running && size <= left {
		l.more = l.batches.size - 1
		l.limit = int(min(int64(l.batches.next()), left/size))
	} else {
		l.batches.running = false
	}
	l.left = l.more
	l.away, l.pauses, l.paused = 0, 0, false
	l.last = l.read()
	l.fence()
}

// flush ends a lap at t, counts the laps in the buffer and reports whether
// another lap follows.
func (l *laps) flush(t int64) bool {
	if l.limit == 0 {
		return l.begin()
	}
	l.n++
	if l.calibrating {
		l.limit = 0
		return false
	}
	late := t >= l.deadline
	l.record()
	if late || l.done() >= l.target || l.precise() {
		l.finish()
		return false
	}
	l.chooseBatches()
	l.startAgain()
	return true
}
