//go:build unix

// The time of every iteration, or of every few, in a slice that requests it.

package testing

import "slices"

// tareTail times the iterations of a b.Loop in batches. A call of the hook of
// the loop ends a batch.
type tareTail struct {
	batch, left uint64 // iterations of a batch, and after the running one
	start       int64  // clock at the begin of the running batch
	on, empty   bool   // empty: an interval without an operation is timed
	now         int64  // clock at its end
	overhead    int64  // the median of empty intervals
	laps        []int64
}

// tareBeginTail begins to time n iterations, of which the loop has already been
// given all. The lowest byte of reading is for flags, the others are the batch.
func (b *B) tareBeginTail(n uint64) {
	t := &b.tare.tail
	t.batch = max(1, uint64(b.tare.order.reading>>8))
	t.laps = slices.Grow(t.laps[:0], int(n/t.batch)+257)
	i, end := b.loop.i, b.loop.n
	t.on, t.empty = true, true
	for range 256 {
		b.loop.n = b.loop.i // the loop is at its end: its slow path calls the hook
		start := tareNanotime()
		b.Loop()
		t.laps = append(t.laps, t.now-start)
	}
	slices.Sort(t.laps)
	t.overhead = t.laps[len(t.laps)/2]
	t.laps, t.empty = t.laps[:0], false
	b.loop.i, b.loop.n = i, end-n+min(t.batch, n)
	t.left = n - min(t.batch, n)
	t.start = tareNanotime()
}

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

// tareQuantiles are the quantiles of the laps, in seconds an operation.
func (t *tareTail) tareQuantiles() map[string]float64 {
	all := make(map[string]float64)
	slices.Sort(t.laps)
	n := len(t.laps)
	for unit, rare := range map[string]int{"p50-sec/op": 2, "p90-sec/op": 10, "p99-sec/op": 100, "p99.9-sec/op": 1000, "max-sec/op": 1 << 62} {
		if n >= rare || rare == 1<<62 && n > 0 {
			lap := t.laps[n-1-n/rare]
			all[unit] = float64(max(0, lap-t.overhead)) / 1e9 / float64(t.batch)
		}
	}
	return all
}
