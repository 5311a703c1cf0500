//go:build unix

// The time of every iteration, or of every few, in a slice that requests it.

package testing

import (
	"slices"
	"sync"
	"sync/atomic"
)

// tareTail times the iterations of a loop in batches. A call of the hook of the
// loop ends a batch.
type tareTail struct {
	batch, left uint64 // iterations of a batch, and after the running one
	start       int64  // clock at the begin of the running batch
	on, empty   bool   // empty: an interval without an operation is timed
	now         int64  // clock at its end
	overhead    int64  // the median of empty intervals
	laps        []int64
	parts       struct { // of the goroutines of RunParallel
		sync.Mutex
		all []*tareTail
	}
}

const tareEmpty = 256

// tareSetOverhead takes the laps so far, which are empty, as the overhead.
func (t *tareTail) tareSetOverhead() {
	slices.Sort(t.laps)
	t.overhead = t.laps[len(t.laps)/2]
	t.laps = t.laps[:0]
}

// tareBeginTail begins to time n iterations, of which the loop has already been
// given all. The lowest byte of reading is for flags, the others are the batch.
func (b *B) tareBeginTail(n uint64) {
	t := &b.tare.tail
	t.batch = b.tare.order.batch()
	t.laps = slices.Grow(t.laps[:0], int(n/t.batch)+tareEmpty+1)
	i, end := b.loop.i, b.loop.n
	t.on, t.empty = true, true
	for range tareEmpty {
		b.loop.n = b.loop.i // the loop is at its end: its slow path calls the hook
		start := tareNanotime()
		b.Loop()
		t.laps = append(t.laps, t.now-start)
	}
	t.tareSetOverhead()
	t.empty = false
	b.loop.i, b.loop.n = i, end-n+min(t.batch, n)
	t.left = n - min(t.batch, n)
	t.start = tareNanotime()
}

func (o tareOrder) batch() uint64 { return max(1, uint64(o.reading>>8)) }

// tareNextOfTail ends a batch. It reports whether another one begins.
func (b *B) tareNextOfTail() bool {
	now := tareNanotime()
	t := &b.tare.tail
	if t.empty {
		t.now = now
		return true
	}
	t.laps = append(t.laps, now-t.start)
	n := min(t.batch, t.left)
	if t.left -= n; n == 0 {
		t.on = false
		return false
	}
	b.loop.n += n
	t.start = tareNanotime()
	return true
}

// tareParallel is called by each goroutine of RunParallel. It is nil unless the
// slice requests the tail.
func (b *B) tareParallel() *tareTail {
	o := b.tare.order
	if o.reading&tareReadTail == 0 || o.warm > 0 || b.loop.n > 0 {
		return nil
	}
	t := &tareTail{batch: o.batch(), laps: make([]int64, 0, uint64(b.N)/o.batch()+tareEmpty+1)}
	empty := PB{globalN: new(atomic.Uint64), bN: 2 * tareEmpty, tare: &tareTail{batch: 1}}
	for range tareEmpty {
		empty.Next()
	}
	t.laps = append(t.laps, empty.tare.laps...)
	t.tareSetOverhead()
	parts := &b.tare.tail.parts
	parts.Lock()
	defer parts.Unlock()
	parts.all = append(parts.all, t)
	return t
}

// Next reports whether there are more iterations to execute.
func (pb *PB) Next() bool {
	if pb.cache == 0 {
		return pb.tareNext() // so that Next is short enough to be inlined
	}
	pb.cache--
	return true
}

func (pb *PB) tareNext() bool {
	t := pb.tare
	if t == nil {
		return pb.tareStockNext()
	}
	if now := tareNanotime(); t.on {
		t.laps = append(t.laps, now-t.start)
	}
	pb.grain = t.batch
	more := pb.tareStockNext()
	t.on = more && pb.cache == t.batch-1 // a whole batch
	t.start = tareNanotime()
	return more
}

// tareShares are the quantiles of the laps: of so many laps, so many are not
// above.
var tareShares = [...]struct {
	name  string
	n, of int
}{
	{"min", 0, 1}, {"p1", 1, 100}, {"p5", 1, 20}, {"p10", 1, 10}, {"p25", 1, 4}, {"p50", 1, 2}, {"p75", 3, 4}, {"p90", 9, 10},
	{"p95", 19, 20}, {"p99", 99, 100}, {"p99.5", 199, 200}, {"p99.9", 999, 1000}, {"p99.95", 1999, 2000}, {"p99.99", 9999, 10_000}, {"max", 1, 1},
}

// tareQuantiles are the quantiles of the laps, in seconds an operation. A
// quantile needs a lap beyond it.
func (t *tareTail) tareQuantiles() map[string]float64 {
	all := make(map[string]float64)
	batch, laps := t.batch, t.tareCorrected(nil)
	for _, part := range t.parts.all {
		batch, laps = part.batch, part.tareCorrected(laps)
	}
	t.parts.all = nil
	slices.Sort(laps)
	n := len(laps)
	for _, q := range tareShares {
		if beyond := min(q.n, q.of-q.n); n > 0 && (beyond == 0 || n*beyond >= q.of) {
			rank := (n*q.n + q.of - 1) / q.of
			all[q.name+"-sec/op"] = float64(laps[max(0, rank-1)]) / 1e9 / float64(batch)
		}
	}
	return all
}

func (t *tareTail) tareCorrected(to []int64) []int64 {
	for _, lap := range t.laps {
		to = append(to, max(0, lap-t.overhead))
	}
	return to
}
