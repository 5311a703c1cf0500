package tare

import (
	"github.com/tarebench/tare/histogram"
	"github.com/tarebench/tare/internal/stripe"
)

// stopwatchShard counts laps. A lap ends in the shard where it began.
type stopwatchShard struct {
	free     *slot
	slots    int64 // ever made
	running  int64
	stopped  int64
	twice    int64
	service  *histogram.Histogram // ticks
	response *histogram.Histogram // of laps with an intended start
	ring     [][2]int64           // start and stop of single laps
	oldest   int                  // in ring
	// Shards are allocated one by one; the padding keeps one off the cache lines
	// of another.
	_ [128]byte
}

// slot is what a running lap holds of its stopwatch, and leaves for the next
// one when it is stopped. Its shard guards it, but for what never changes.
type slot struct {
	of         *stripe.Set[*stopwatchShard] // of its stopwatch
	shard      *stripe.Cell[*stopwatchShard]
	generation int64 // of the laps that have had it
	next       *slot // that is free
}

// slots are allocated together, since one by one those of two shards could lie
// in one cache line; the padding keeps off what lies after them.
type slots struct {
	each [16]slot
	_    [128]byte
}

func (s *Stopwatch) take() *slot {
	cell := s.shards.Lock()
	v := cell.Value
	if v.free == nil {
		s.addSlots(cell)
	}
	held := v.free
	v.free = held.next
	held.generation++
	v.running++
	cell.Unlock()
	return held
}

func (s *Stopwatch) addSlots(cell *stripe.Cell[*stopwatchShard]) {
	more := new(slots)
	for i := range more.each {
		more.each[i] = slot{of: s.shards, shard: cell, next: cell.Value.free}
		cell.Value.free = &more.each[i]
	}
	cell.Value.slots += int64(len(more.each))
}

func record(h **histogram.Histogram, length int64) {
	if *h == nil {
		*h = newTicks()
	}
	(*h).Record(length)
}

func newTicks() *histogram.Histogram {
	h, _ := histogram.Options{Max: mostTicks}.New() // valid
	return h
}

// keep keeps a single lap, and drops the oldest of more than n.
func (v *stopwatchShard) keep(n int, lap [2]int64) {
	if len(v.ring) < n {
		v.ring = append(v.ring, lap)
		return
	}
	v.ring[v.oldest] = lap
	v.oldest = (v.oldest + 1) % n
}
