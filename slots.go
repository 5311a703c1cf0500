package tare

import (
	"github.com/tarebench/tare/histogram"
	"github.com/tarebench/tare/internal/stripe"
)

// stopwatchShard counts laps. A lap ends in the shard in which it began.
type stopwatchShard struct {
	free     *slot
	running  int64
	stopped  int64
	twice    int64
	service  *histogram.Histogram // ticks
	response *histogram.Histogram // of laps with an intended start
	ring     [][2]int64           // start and stop of single laps
	oldest   int                  // in ring
	// Shards are allocated one by one. The padding separates their cache lines.
	_ [128]byte
}

// slot connects a running lap to its stopwatch. The next lap reuses it. The
// lock of its shard guards every field that changes.
type slot struct {
	of         *stripe.Set[*stopwatchShard] // of its stopwatch
	shard      *stripe.Cell[*stopwatchShard]
	generation int64 // of the laps that have had it
	next       *slot // the next free one
}

// slots are allocated together, because single slots of two shards could share
// a cache line. The padding separates them from the memory after them.
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

func (v *stopwatchShard) keep(n int, lap [2]int64) {
	if len(v.ring) < n {
		v.ring = append(v.ring, lap)
		return
	}
	v.ring[v.oldest] = lap
	v.oldest = (v.oldest + 1) % n
}
