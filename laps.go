package tare

import (
	"math"
	"slices"
	"time"

	"github.com/tarebench/tare/clock"
	"github.com/tarebench/tare/histogram"
)

// pausing adds up the laps with pauses.
type pausing struct {
	laps, pauses int64
	ticks        int64 // taken off for them, lap by lap
}

// laps times consecutive laps with one read of the clock for each. A lap goes
// from read to read: what next does between its read and its return lies in
// the lap, and so does the call to it. Fences keep the processor from doing
// any of that beside the operation, so it weighs the same in every lap; weigh
// finds out how much, and it is taken off when a distribution is asked for. To
// keep it small, a lap is only stored here; flush counts many at once, outside
// of any lap.
type laps struct {
	// Read and written in every lap.
	left                     int // operations left in this lap
	more                     int // operations of a lap after the first one
	n, limit                 int // laps in buffer, and how many until flush; 0: no lap runs
	last                     int64
	now                      int64 // read at the end of the lap, before last is moved there
	deadline                 int64
	cycles                   bool // read clock.Cycles, not clock.Now
	paused                   bool
	pauses                   int64 // begun in this lap
	away                     int64 // ticks paused in this lap, and since when
	since                    int64
	pauseTicks, anotherTicks int64 // what is taken off a lap for its first pause, for each other
	taken                    pausing
	buffer                   [256]int64

	// What was asked for.
	target    int64
	repeat    int // 0: find out
	until     time.Duration
	precision float64 // 0: no matter
	keep      int
	monotonic bool

	// What came of it, in ticks.
	started, finished bool
	probing           bool
	batch             int        // operations of a lap
	agreed            *agreement // of goroutines that share a batch size
	count             int64
	nextCheck         int64
	histogram         *histogram.Histogram
	ring              []int64
	before, after     weight
	oldest            int64  // in ring
	ruled             uint64 // keeps the result of rulers alive
}

const (
	probeLaps = 16
	// A lap of fewer steps of the clock is read as one of a few numbers.
	leastSteps = 100
	mostBatch  = 1 << 20
)

// read waits for the operation to end and reads the clock.
func (l *laps) read() int64 {
	if l.cycles {
		return clock.CyclesAfter()
	}
	clock.Fence() // Now has one, after a part of its own work
	return clock.Now()
}

// nextInGo is next without assembly: it ends a lap and begins another one.
//
//lint:ignore U1000 laps_amd64.s goes on here
func nextInGo(l *laps) bool {
	l.now = l.read()
	return endLap(l)
}

// endLap goes on where the clock has been read.
//
//lint:ignore U1000 laps_amd64.s goes on here
func endLap(l *laps) bool {
	t, n := l.now, l.n
	if l.pauses > 0 {
		return l.endPausedLap(t)
	}
	l.buffer[n&(len(l.buffer)-1)] = t - l.last // n is below; the mask saves a check
	n++
	if n >= l.limit || t >= l.deadline {
		return l.flush(t)
	}
	l.n = n
	l.last = t
	l.left = l.more
	clock.Fence() // the operation begins when all of this is over
	return true
}

// endPausedLap is endLap for a lap with pauses, except that the next lap begins
// with a read of its own, when all of this is done. Behind what ran in a pause
// it takes 1 to 5 ns longer than behind nothing, which is what weighing has, and
// that would count for the next lap.
func (l *laps) endPausedLap(t int64) bool {
	l.buffer[l.n&(len(l.buffer)-1)] = l.withoutPauses(t, t-l.last)
	if l.n+1 >= l.limit || t >= l.deadline {
		return l.flush(t)
	}
	l.n++
	l.left = l.more
	l.last = l.read()
	clock.Fence()
	return true
}

// withoutPauses takes off the pauses of a lap: their time, and the typical
// cost of pausing in whole ticks. The rest of that cost is taken off the mean
// in distribution. It does the same while weighing, or it would weigh less.
func (l *laps) withoutPauses(t, lap int64) int64 {
	if l.paused { // resumed by ending the lap
		l.away += t - l.since
		l.paused = false
	}
	cost := l.pauseTicks + (l.pauses-1)*l.anotherTicks
	lap -= l.away + cost
	l.taken.laps++
	l.taken.pauses += l.pauses
	l.taken.ticks += cost
	l.away, l.pauses = 0, 0
	return lap
}

func (l *laps) pause() {
	t := l.read()
	if !l.paused && l.limit > 0 {
		l.paused = true
		l.pauses++
		l.since = t
	}
}

func (l *laps) resume() {
	if !l.paused {
		return
	}
	t := l.read()
	l.paused = false
	l.away += t - l.since
	clock.Fence()
}

// begin starts the first lap, and none after the end.
func (l *laps) begin() bool {
	if l.finished || l.before.weighing || l.target <= 0 {
		return false
	}
	if !l.started {
		l.prepare()
		l.startAgain()
	}
	return true
}

// prepare weighs the scale and readies the memory.
func (l *laps) prepare() {
	l.started = true
	l.before = weigh(l.monotonic)
	l.cycles = l.before.cycles
	l.useWeight()
}

func (l *laps) useWeight() {
	// An hour at 5 GHz, in ticks.
	l.histogram, _ = histogram.Options{Max: 5 * int64(time.Hour)}.New() // valid
	l.ring = make([]int64, 0, min(l.keep, 1<<12))                       // it grows between laps
	l.pauseTicks = int64(math.Round(l.before.pause.Typical))
	l.anotherTicks = int64(math.Round(l.before.another.Typical))
	l.batch, l.probing = l.repeat, l.repeat == 0
	if l.probing {
		l.batch = 1
	}
	l.nextCheck = 100
	l.deadline = math.MaxInt64
	// A longer time than 2⁶² ticks, many years, is no limit.
	if ticks := float64(l.until) / l.before.nanosPerTick; ticks < 1<<62 {
		l.deadline = l.read() + int64(max(0, ticks))
	}
}

// startAgain begins a lap after something that is no lap.
func (l *laps) startAgain() {
	l.n = 0
	l.limit = int(min(int64(len(l.buffer)), l.target-l.count))
	if l.probing {
		l.limit = min(l.limit, probeLaps)
	}
	l.more = l.batch - 1
	l.left = l.more
	l.away, l.pauses, l.paused = 0, 0, false
	l.last = l.read()
	clock.Fence()
}

// flush ends a lap at t, counts the laps in the buffer and says whether there
// is another one.
func (l *laps) flush(t int64) bool {
	if l.limit == 0 {
		return l.begin()
	}
	l.n++
	if l.before.weighing {
		l.limit = 0
		return false
	}
	late := t >= l.deadline
	if l.probing && !late && l.tooShort() {
		l.taken = pausing{}
		l.startAgain()
		return true
	}
	l.record()
	if late || l.count >= l.target || l.precise() {
		l.finish()
		return false
	}
	l.startAgain()
	return true
}

// tooShort finds a greater batch size where laps of the one at hand are too
// short for the clock.
func (l *laps) tooShort() bool {
	if l.agreed != nil {
		if size := int(l.agreed.size.Load()); size > 0 {
			l.probing = false
			short := size != l.batch
			l.batch = size
			return short
		}
	}
	sorted := slices.Sorted(slices.Values(l.buffer[:l.n]))
	median := float64(sorted[l.n/2]) - l.before.lap.Typical
	want := leastSteps * l.before.resolution
	if median >= want || l.batch >= mostBatch {
		l.probing = false
		if l.agreed != nil && !l.agreed.size.CompareAndSwap(0, int64(l.batch)) {
			size := int(l.agreed.size.Load())
			short := size != l.batch
			l.batch = size
			return short
		}
		return false
	}
	growth := min(16, 1.25*want/max(median, 1))
	l.batch = min(mostBatch, max(l.batch+1, int(float64(l.batch)*growth)))
	return true
}

func (l *laps) record() {
	l.histogram.RecordAll(l.buffer[:l.n])
	l.count += int64(l.n)
	if l.keep > 0 {
		for _, lap := range l.buffer[:l.n] {
			if len(l.ring) < l.keep {
				l.ring = append(l.ring, lap)
			} else {
				l.ring[l.oldest] = lap
				l.oldest = (l.oldest + 1) % int64(l.keep)
			}
		}
	}
	l.n = 0
}

// precise looks at the interval of the median, at ever longer distances so
// that looking costs nothing.
func (l *laps) precise() bool {
	if l.precision == 0 || l.count < l.nextCheck {
		return false
	}
	l.nextCheck = l.count + l.count/4
	q := l.histogram.Quantile(0.5)
	median := q.Value - l.before.lap.Typical
	return (q.Hi-q.Lo)/2 <= l.precision*median
}

// finish ends the laps; the lap under way is dropped.
func (l *laps) finish() {
	if l.finished || !l.started {
		return
	}
	l.finished = true
	l.record()
	l.limit, l.left, l.pauses = 0, 0, 0
	l.after = l.before.again()
}
