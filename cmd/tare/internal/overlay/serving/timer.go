//go:build unix

// Timers of testing.B that know their own overhead.

package testing

import (
	"runtime"
	"sync/atomic"
	"time"
	_ "unsafe" // for linkname
)

//go:linkname tareNanotime runtime.nanotime
func tareNanotime() int64

// An exact read of the allocation counters stops the world. A run therefore
// reads them in this many intervals at most. After that its counts are unknown.
// A slice reads them only on request.
const (
	tareReadsPerRun = 8
	tareReadsAll    = 1<<31 - 1
)

// In a plain run, a benchmark may take this many times its benchtime of wall
// time. A benchmark that pauses around every nanosecond then still ends.
const tareWallFactor = 8

type tareState struct {
	start  int64 // clock at the last start of the timer
	raw    int64 // nanoseconds between starts and stops
	pauses int64 // timed intervals that are summed in raw
	began  int64 // clock at the last reset

	most    int  // intervals whose allocations may be read
	reads   int  // intervals of this slice that were read
	reading bool // the running interval began with a read
	counted bool // every interval since the reset was read

	delay tareFollowing // of the thread in the timed intervals

	calibrating bool
	weight      tareWeight // empty intervals since the slice began
	rolling     tareWeight // the latest of all slices
	order       tareOrder  // the slice to take

	served bool // the parent was given slices of this benchmark
	ended  bool // the parent sent end, or was notified of the end
	mark   tareMark
	tail   tareTail

	panicked bool // a worker's benchmark function is panicking
}

// tareWeight collects the length of empty timed intervals, one after every
// pause of a slice. It keeps all of them. An empty interval is as likely to be
// interrupted as the same stretch of a timed one, so the mean subtracts the
// interruptions of the clock itself.
type tareWeight struct {
	n      int64
	sum    float64
	square float64
	cold   int   // intervals skipped at the beginning, and
	least  int64 // the shortest after them: of a rolling overhead
}

func (w *tareWeight) add(d int64) {
	w.n++
	w.sum += float64(d)
	w.square += float64(d) * float64(d)
}

// roll keeps the latest few thousand intervals, without the first, which are
// cold. A slice of one interval is judged by medians, which interruptions do
// not affect. Interruptions of an empty interval must not be subtracted, so
// they are skipped here.
func (w *tareWeight) roll(d int64) {
	const cold, slack, most = 32, 100, 4096
	if w.cold < cold {
		w.cold++
		return
	}
	if w.n == 0 || d < w.least {
		w.least = d
	}
	if d > 4*w.least+slack {
		return
	}
	if w.add(d); w.n >= most {
		w.n, w.sum, w.square = w.n/2, w.sum/2, w.square/2
	}
}

func (w *tareWeight) mean() float64 {
	if w.n == 0 {
		return 0
	}
	return w.sum / float64(w.n)
}

// interval bounds the overhead of one timed interval, in nanoseconds. Between
// fences it is the length of an empty interval. Without fences the CPU executes
// the operation while it finishes reading the clock, so a long operation may
// hide up to all of the overhead. The bounds are 4 ns (an operation alone
// between two clock reads takes another time than among others) and two
// standard errors.
func (w *tareWeight) interval() (lo, hi float64) {
	if w.n == 0 {
		return 0, 0
	}
	mean := w.mean()
	if !tareFenced {
		return 0, mean
	}
	spread := max(0, w.square/float64(w.n)-mean*mean)
	// 2 standard errors, without a square root: (2se)² ≤ x² for x = e.
	e := 4.0
	for e*e < 4*spread/float64(w.n) {
		e *= 1.25
	}
	e = min(e, mean) // subtract the middle of the interval: keep it
	return mean - e, mean + e
}

// StartTimer starts timing a test. This function is called automatically
// before a benchmark starts, but it can also be used to resume timing after
// a call to [B.StopTimer].
//
//go:noinline
func (b *B) StartTimer() {
	if !b.timerOn {
		if !b.tare.calibrating {
			b.tareCountFrom()
			b.tare.delay.start()
		}
		b.timerOn = true
		b.loop.i &^= loopPoisonTimer
		// Last, so that nothing before it is timed. The atomic store drains the
		// store buffer. Otherwise an operation with atomics would wait for it.
		atomic.StoreInt64(&b.tare.start, tareNanotime())
		tareFence()
	}
}

// StopTimer stops timing a test. This can be used to pause the timer
// while performing steps that you don't want to measure.
//
//go:noinline
func (b *B) StopTimer() {
	if b.timerOn {
		tareFence()
		now := tareNanotime() // first: nothing after it is timed
		t := &b.tare
		if tareLonger > 0 && !t.calibrating {
			now = t.tareProlong(now)
		}
		d := now - t.start
		b.timerOn = false
		b.loop.i |= loopPoisonTimer
		if t.calibrating {
			t.weight.add(d)
			t.rolling.roll(d)
			return
		}
		t.raw += d
		t.pauses++
		t.delay.stop(d)
		b.duration += time.Duration(d)
		b.tareCountTo()
		b.tareCalibrate(1)
	}
}

// ResetTimer zeroes the elapsed benchmark time and memory allocation counters
// and deletes user-reported metrics.
// It does not affect whether the timer is running.
func (b *B) ResetTimer() {
	if b.extra == nil {
		b.extra = make(map[string]float64, 16)
	} else {
		clear(b.extra)
	}
	t := &b.tare
	b.duration = 0
	b.netAllocs = 0
	b.netBytes = 0
	t.raw = 0
	t.pauses = 0
	t.delay.sum, t.delay.cpu = 0, 0
	t.delay.reset()
	t.weight = tareWeight{}
	t.counted = true
	t.mark.n, t.mark.raw, t.mark.pauses, t.mark.delay, t.mark.cpu, t.mark.mallocs, t.mark.bytes = 0, 0, 0, 0, 0, 0, 0
	t.began = tareNanotime()
	if b.timerOn {
		b.tareMark()
		b.tareCountFrom()
		t.delay.start()
		atomic.StoreInt64(&t.start, tareNanotime())
		tareFence()
	}
}

// Elapsed returns the measured elapsed time of the benchmark.
// The duration reported by Elapsed matches the one measured by
// [B.StartTimer], [B.StopTimer], and [B.ResetTimer], less the overhead of the
// clock and the delays by other programs.
func (b *B) Elapsed() time.Duration {
	raw, pauses := b.tare.raw-b.tare.delay.sum, b.tare.pauses
	if b.timerOn {
		raw -= b.tare.delay.since()
		raw += tareNanotime() - b.tare.start
		pauses++
	}
	if pauses == 0 {
		return time.Duration(raw)
	}
	lo, hi := b.tare.overhead().interval()
	return time.Duration(max(0, float64(raw)-float64(pauses)*(lo+hi)/2))
}

// mayRead lets a plain run of n iterations read its allocations in every
// interval, if the intervals are few.
func (t *tareState) mayRead(n int) {
	t.most = tareReadsPerRun
	if n <= 1000 {
		t.most = tareReadsAll
	}
}

// tareCountFrom and tareCountTo bracket a timed interval with exact reads of
// the allocation counters, if the slice can still afford them.
func (b *B) tareCountFrom() {
	t := &b.tare
	t.reading = t.reads < t.most
	if !t.reading {
		t.counted = false
		return
	}
	t.reads++
	runtime.ReadMemStats(&memStats)
	b.startAllocs = memStats.Mallocs
	b.startBytes = memStats.TotalAlloc
}

func (b *B) tareCountTo() {
	if !b.tare.reading {
		return
	}
	runtime.ReadMemStats(&memStats)
	b.netAllocs += memStats.Mallocs - b.startAllocs
	b.netBytes += memStats.TotalAlloc - b.startBytes
}

// tareCalibrate times n empty intervals through the same methods that the
// benchmark calls. The timer must be off.
func (b *B) tareCalibrate(n int) {
	t := &b.tare
	poison := b.loop.i & loopPoisonTimer
	t.calibrating = true
	for ; n > 0; n-- {
		b.StartTimer()
		b.StopTimer()
	}
	t.calibrating = false
	b.loop.i = b.loop.i&^loopPoisonTimer | poison
}

// tareCollect replaces the garbage collection of runN before every run. A
// worker collects once, before it announces a benchmark. Earlier collections
// would only delay its start. Later collections happen in the slices, as in
// production.
func (b *B) tareCollect() {
	b.tare.reads = 0
	b.tare.counted = true
	if tareParent == nil {
		runtime.GC()
	}
}

func (b *B) tareCorrected() time.Duration {
	b.tareFill()
	return b.Elapsed()
}

// overhead returns the empty intervals that determine the overhead of an
// interval. If the slice has many, it uses them, because they follow the same
// code as the timed intervals. Otherwise it uses the latest intervals of all
// slices.
func (t *tareState) overhead() *tareWeight {
	if t.weight.n >= tareEnough {
		return &t.weight
	}
	return &t.rolling
}

const tareEnough = 64

func (b *B) tareFill() {
	for range 8 {
		missing := 4*tareEnough - b.tare.rolling.n
		if missing <= 0 || b.timerOn {
			return
		}
		b.tareCalibrate(int(missing))
	}
}
