package histogram

import (
	"sync"
	"sync/atomic"

	"github.com/tarebench/tare/internal/stripe"
)

// Sharded is a histogram for many concurrent writers. If there are enough
// shards, each writer has its own, and none waits while a shard is free. Make
// one with [Options.NewSharded]. The zero Sharded has the default size. All its
// methods are safe for concurrent use.
type Sharded struct {
	options Options
	shards  atomic.Pointer[stripe.Set[*Histogram]] // nil: not needed so far

	mu    sync.Mutex
	past  Histogram    // values that Interval has returned
	spare []*Histogram // empty
}

// NewSharded makes a sharded histogram of this size: four times GOMAXPROCS
// shards, each allocated when it is first needed.
func (o Options) NewSharded() (*Sharded, error) {
	if _, err := o.New(); err != nil {
		return nil, err
	}
	return &Sharded{options: o}, nil
}

func (s *Sharded) cells() *stripe.Set[*Histogram] {
	if set := s.shards.Load(); set != nil {
		return set
	}
	s.shards.CompareAndSwap(nil, stripe.New(func() *Histogram { return nil }))
	return s.shards.Load()
}

// Record counts one value.
func (s *Sharded) Record(v int64) {
	cell := s.cells().Lock()
	if cell.Value == nil {
		cell.Value = s.empty()
	}
	cell.Value.Record(v)
	cell.Unlock()
}

// RecordMany counts the value v n times.
func (s *Sharded) RecordMany(v, n int64) {
	cell := s.cells().Lock()
	if cell.Value == nil {
		cell.Value = s.empty()
	}
	cell.Value.RecordMany(v, n)
	cell.Unlock()
}

// Merged returns a histogram of all values since the last Reset.
func (s *Sharded) Merged() *Histogram {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.empty()
	_ = all.Merge(&s.past) // made with the same options
	for h := range s.cells().All() {
		if *h != nil {
			_ = all.Merge(*h)
		}
	}
	return all
}

// Count is the number of values since the last Reset.
func (s *Sharded) Count() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.past.Count()
	for h := range s.cells().All() {
		n += (*h).Count()
	}
	return n
}

// Interval returns a histogram of the values since its last call, or since
// Reset, for a server that logs its latencies every second. A writer waits at
// most for the replacement of a shard, which is the assignment of a pointer. A
// value is in exactly one interval, and stays in Merged.
func (s *Sharded) Interval() *Histogram {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.empty()
	for _, h := range s.takeShards() {
		_ = all.Merge(h)
		h.Reset()
		s.spare = append(s.spare, h)
	}
	_ = s.past.Merge(all)
	return all
}

// Reset discards all values. A value that is recorded meanwhile may be
// discarded or kept.
func (s *Sharded) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.takeShards() {
		h.Reset()
		s.spare = append(s.spare, h)
	}
	s.past.Reset()
}

func (s *Sharded) takeShards() []*Histogram {
	var taken []*Histogram
	for h := range s.cells().All() {
		if (*h).Count() == 0 {
			continue
		}
		taken = append(taken, *h)
		*h = nil // its next writer makes one
		if last := len(s.spare) - 1; last >= 0 {
			*h, s.spare = s.spare[last], s.spare[:last]
		}
	}
	return taken
}

func (s *Sharded) empty() *Histogram {
	h, _ := s.options.New() // NewSharded has found the options valid
	return h
}
