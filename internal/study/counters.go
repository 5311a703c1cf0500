package study

import (
	"context"
	"slices"

	"github.com/tarebench/tare/internal/count"
	"github.com/tarebench/tare/internal/worker"
	"github.com/tarebench/tare/result"
)

// counted are the counters of one live worker. They are read from outside of
// the process, before a slice and after it, while the worker waits.
type counted struct {
	counters *count.Counters
	// fixed is what a slice costs however many iterations it has: the
	// handshake, and for b.N loops the collection before the loop and the
	// set-up. Nil while it is not known.
	fixed map[count.Event]float64
	// last is what the latest slice counted.
	last count.Counts
}

// fixedSlices of one iteration give the fixed cost: their median.
const fixedSlices = 3

// openCounters opens the counters of every worker and learns the fixed cost
// of a slice. Where nothing can be counted a finding says why, once a study.
func (c *crew) openCounters(ctx context.Context, b *bench, which []int) error {
	if !c.r.o.Counters {
		return nil
	}
	for _, v := range which {
		m := c.members[v]
		counters, findings, err := count.OpenCounters(m.w.Pid())
		if err != nil {
			return err
		}
		if !c.r.countersSaid {
			for _, f := range findings {
				if err := c.r.o.Write(result.Line{Finding: &f}); err != nil {
					return err
				}
			}
			c.r.countersSaid = true
		}
		m.counted = &counted{counters: counters}
	}
	if b.n < 2 {
		return nil
	}
	samples := make(map[int]map[count.Event][]float64)
	for range fixedSlices {
		if _, _, err := c.round(ctx, b, turn{which, worker.Order{N: 1, Reading: worker.Unread}}, turn{}); err != nil {
			return err
		}
		for _, v := range which {
			if samples[v] == nil {
				samples[v] = make(map[count.Event][]float64)
			}
			for e, n := range c.members[v].counted.last.Total {
				samples[v][e] = append(samples[v][e], n)
			}
		}
	}
	for v, events := range samples {
		fixed := make(map[count.Event]float64)
		for e, list := range events {
			slices.Sort(list)
			fixed[e] = list[len(list)/2]
		}
		c.members[v].counted.fixed = fixed
	}
	return nil
}

// counting brackets a slice of m: what it returns puts the counts per
// operation into the slice's metrics.
func (c *crew) counting(b *bench, m *member) func(*result.Slice) error {
	if m.counted == nil {
		return func(*result.Slice) error { return nil }
	}
	before, err := m.counted.counters.Read()
	return func(s *result.Slice) error {
		if err != nil {
			return err
		}
		after, err := m.counted.counters.Read()
		if err != nil {
			return err
		}
		m.counted.last = after.Since(before)
		return c.note(b, m.counted, s)
	}
}

// note turns the counts of a slice into metrics, unless they would be wrong.
func (c *crew) note(b *bench, m *counted, s *result.Slice) error {
	counts := m.last
	said := count.MultiplexFinding(b.Name, counts.Share)
	if f := count.PausesFinding(b.Name, s.Pauses); f != nil {
		said, counts = f, count.Counts{}
	}
	if said != nil && !b.countersSaid {
		b.countersSaid = true
		if err := c.r.o.Write(result.Line{Finding: said}); err != nil {
			return err
		}
	}
	n := s.N
	if m.fixed != nil && n > 1 {
		counts = counts.Less(m.fixed)
		n-- // the fixed cost holds one operation
	}
	for unit, value := range counts.PerOp(n) {
		if s.Metrics == nil {
			s.Metrics = make(map[string]float64)
		}
		s.Metrics[unit] = value
	}
	return nil
}

func (m *member) close() {
	if m.counted != nil {
		m.counted.counters.Close()
	}
	m.w.Close()
}
