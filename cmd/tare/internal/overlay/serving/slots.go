//go:build unix

// Slices by the board: workers pass the turn to each other.

package testing

import (
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

type tareTurns struct {
	board *tareBoard
	me    uint32
	on    bool // a batch is in progress
	came  bool // and this worker has come to it
	rest  bool // the monitor thread of the runtime rests since the first batch
	at    uint32
	units map[string]uint32
	began tareUse
}

// tareManyCycles is the number of collections in a slice from which the
// sweeping left by the last one does not matter. A step of tareSettle takes a
// millisecond, which is as long as several collections, and the runtime returns
// memory meanwhile.
const tareManyCycles = 8

var tareBatch tareTurns

// open maps the board. value contains its descriptor and the index of this
// worker.
func (t *tareTurns) open(value string) bool {
	descriptor, index, ok := strings.Cut(value, ",")
	fd, err := strconv.Atoi(descriptor)
	if !ok || err != nil {
		return false
	}
	defer syscall.Close(fd)
	side, err := strconv.ParseUint(index, 10, 32)
	if err != nil || side >= tareMostSides {
		return false
	}
	size := int(unsafe.Sizeof(tareBoard{}))
	m, err := syscall.Mmap(fd, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return false
	}
	board := (*tareBoard)(unsafe.Pointer(&m[0]))
	if board.Magic != tareBoardMagic || board.Version != tareBoardVersion {
		return false
	}
	if !tareOpenTurns(fd+1, int(side), int(board.Sides)) {
		return false
	}
	t.board, t.me = board, uint32(side)
	t.units = make(map[string]uint32)
	return true
}

func (t *tareTurns) begin() {
	t.on, t.came, t.at = true, false, 0
	began := tareUsedSoFar()
	if t.began.User > 0 { // goroutines may have run since the last batch
		began.User, began.System = t.began.User, t.began.System
	}
	t.began = began
}

// mine returns the first slot from index i on that belongs to this worker, or
// the number of slots.
func (t *tareTurns) mine(i uint32) uint32 {
	for i < t.board.Slots && t.board.Slot[i].Side != t.me {
		i++
	}
	return i
}

// next waits for the turn and returns the slot to take. If ok is false, this
// worker has no more slots.
func (t *tareTurns) next() (o tareOrder, ok bool) {
	d := t.board
	i := t.mine(t.at)
	if !t.came {
		t.came = true
		if !t.rest {
			tareWaitForRest()
			t.rest = true
		}
		if atomic.AddUint32(&d.Arrived, 1<<t.me) == d.Expected {
			t.handOver(0)
		}
	}
	if i >= d.Slots { // a batch without a slot for this worker
		t.on = false
		return o, false
	}
	word := &d.Side[t.me].Turn
	for {
		v := atomic.LoadUint32(word)
		if v > i {
			break
		}
		tareWaitTurn(word, v)
	}
	if atomic.LoadUint32(&d.Cancel) != 0 {
		t.on = false
		return o, false
	}
	t.at = i
	s := &d.Slot[i]
	return tareOrder{s.N, s.Warm, s.Reading}, true
}

func (t *tareTurns) handOver(i uint32) {
	d := t.board
	atomic.StoreUint32(&d.Running, i)
	side := d.Slot[i].Side
	word := &d.Side[side].Turn
	if atomic.LoadUint32(&d.Cancel) != 0 {
		return
	}
	atomic.StoreUint32(word, i+1)
	if side != t.me {
		tareWakeTurn(word, side)
	}
}

func (t *tareTurns) taken(b *B) {
	d := t.board
	i := t.at
	r := &d.Result[i]
	var measured tareResult
	b.tareMeasure(&measured)
	*r = measured
	if extra := b.tareReported(); len(extra) > 0 {
		t.metrics(extra, i)
	}
	t.at = i + 1
	last := t.mine(t.at) >= d.Slots
	if measured.Flags&tareCollected != 0 {
		// Also before the worker's next slice: a collection then belongs to one
		// slice, whatever the order of the slots.
		if tareCollecting() || measured.GCs < tareManyCycles {
			r.Settle = tareSettle()
		}
	}
	if i+1 < d.Slots && d.Slot[i+1].Side == t.me {
		t.handOver(i + 1) // to itself
		return
	}
	if last {
		d.Side[t.me].Use = tareUsedSince(t.began)
		t.began.User += d.Side[t.me].Use.User
		t.began.System += d.Side[t.me].Use.System
		// Leave now: once the turn is passed on, the parent may plan the next
		// batch at any time.
		t.on = false
	}
	if i+1 < d.Slots {
		t.handOver(i + 1)
		return
	}
	atomic.StoreUint32(&d.Running, i+1)
	tareParent.buf = append(tareParent.buf[:0], "ran"...)
	tareParent.send(false)
}

func (t *tareTurns) metrics(extra map[string]float64, i uint32) {
	side := &t.board.Side[t.me]
	r := &t.board.Result[i]
	for unit, v := range extra {
		k, known := t.units[unit]
		if !known {
			k = side.Units
			if k == tareMostUnits || len(unit) > tareUnitBytes {
				r.Flags |= tareOverflow
				continue
			}
			t.units[unit] = k
			side.Unit[k].Len = uint64(len(unit))
			copy(side.Unit[k].Name[:], unit)
			side.Units = k + 1
		}
		t.board.Metrics[k][i] = v
		r.Metrics |= 1 << k
	}
}

// tareSettle keeps the turn until a collection has ended and been swept, so
// that the other workers do not share the CPU with it. It waits until a step
// takes no more CPU time than an idle one, or less than a tenth of the elapsed
// time. It returns the CPU time in nanoseconds, without the CPU time of as many
// idle steps. It waits at most a few milliseconds for goroutines of the
// benchmark that never rest, and at most a second for a collection.
func tareSettle() int64 {
	const (
		step    = 100 * time.Microsecond
		most    = 200
		longest = int64(time.Second)
	)
	began, at := tareProcessTime(), tareNanotime()
	last, first := began, at
	steps := int64(0)
	for steps < most || tareCollecting() && at-first < longest {
		time.Sleep(step)
		steps++
		now, then := tareProcessTime(), tareNanotime()
		used, passed := now-last, then-at
		last, at = now, then
		if tareCollecting() {
			continue
		}
		if tareIdleStep == 0 || used < tareIdleStep {
			tareIdleStep = used
		}
		if used*10 < passed || 2*used < 3*tareIdleStep {
			break
		}
	}
	return max(0, last-began-steps*tareIdleStep)
}

// tareIdleStep is the least CPU time, in nanoseconds, that a step of tareSettle
// has taken without a collection: to sleep and to wake.
var tareIdleStep int64

// tareUsedSoFar returns the resources that the process has used so far. Values
// that a Go version does not have stay zero.
func tareUsedSoFar() (u tareUse) {
	metrics.Read(tareUseSamples)
	if v := tareUseSamples[0].Value; v.Kind() == metrics.KindFloat64 {
		u.GCTime = int64(1e9 * v.Float64())
	}
	for i, to := range [...]*uint64{&u.Mallocs, &u.Bytes, &u.HeapLive, &u.HeapGoal} {
		if v := tareUseSamples[1+i].Value; v.Kind() == metrics.KindUint64 {
			*to = v.Uint64()
		}
	}
	u.GCs, u.Procs = int64(tareCycles()), int64(runtime.GOMAXPROCS(0))
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) == nil {
		u.User, u.System = r.Utime.Nano(), r.Stime.Nano()
	}
	return u
}

// tareUseSamples are the collector's time as of the last collection that ended,
// the bytes allocated so far, the live bytes after the last collection, and the
// heap size at which the next collection begins.
var tareUseSamples = []metrics.Sample{
	{Name: "/cpu/classes/gc/total:cpu-seconds"},
	{Name: "/gc/heap/allocs:objects"},
	{Name: "/gc/heap/allocs:bytes"},
	{Name: "/gc/heap/live:bytes"},
	{Name: "/gc/heap/goal:bytes"},
}

func tareUsedSince(began tareUse) tareUse {
	u := tareUsedSoFar()
	u.FirstProcs = began.Procs
	u.User -= began.User
	u.System -= began.System
	u.GCTime -= began.GCTime
	u.GCs -= began.GCs
	u.Mallocs -= began.Mallocs
	u.Bytes -= began.Bytes
	return u
}

// A worker waits for its turn and for the next command without telling the
// runtime. Otherwise the monitor thread of the runtime takes the P back and
// polls every 20 µs again, on the CPU that the other worker's slice runs on
// (docs/decisions/monitor.md). Every 10 ms, and to stop the world, the runtime
// interrupts the wait. Other goroutines run then.

// tareWaitForRest waits until the monitor thread of the runtime rests. After a
// start it polls 50 times every 20 µs, and then in intervals that double up to
// 10 ms. It rests when it polls at most once in three steps of a millisecond.
func tareWaitForRest() {
	const quiet, most = 3, 500 * time.Millisecond
	var seen [quiet]int64
	for i, began := int64(0), time.Now(); time.Since(began) < most; i++ {
		tareRest()
		n := tareWaits() - i // one wait is its own
		if i >= quiet && n-seen[i%quiet] <= 1 {
			return
		}
		seen[i%quiet] = n
	}
}

// tareAwait waits until fd has input or ends.
func tareAwait(fd int) {
	for tarePoll(fd) == syscall.EINTR {
	}
}

func tareWaits() int64 {
	var r syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return int64(r.Nvcsw)
}
