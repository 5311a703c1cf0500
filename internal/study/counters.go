package study

import (
	"context"
	"errors"
	"time"

	"github.com/tarebench/tare/internal/count"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/worker"
	"github.com/tarebench/tare/stats"
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

// attach opens the counters of every worker. Where nothing can be counted a
// finding says why, once a study.
func (c *crew) attach(which []int) error {
	for _, v := range which {
		m := c.members[v]
		if m.counted != nil {
			continue
		}
		counters, findings, err := count.OpenCounters(m.w.Pid())
		if err != nil {
			return err
		}
		m.counted = &counted{counters: counters}
		for _, f := range findings {
			if err := c.r.once(f); err != nil {
				return err
			}
		}
	}
	return nil
}

// openCounters opens the counters for timed slices and learns the fixed cost
// of a slice. A benchmark that stops its timer is counted apart.
func (c *crew) openCounters(ctx context.Context, b *bench, which []int) error {
	if !c.r.o.Counters || b.plan.Stops {
		return nil
	}
	if err := c.attach(which); err != nil {
		return err
	}
	if b.plan.Iterations < 2 {
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
			fixed[e] = stats.Median(list)
		}
		c.members[v].counted.fixed = fixed
	}
	return nil
}

// counting brackets a timed slice of m: what it returns puts the counts per
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
		if s.Pauses > 1 {
			return nil // they hold what it did meanwhile
		}
		counts, n := m.counted.last, s.N
		if m.counted.fixed != nil && n > 1 {
			counts = counts.Less(m.counted.fixed)
			n-- // the fixed cost holds one operation
		}
		return c.note(b, s, counts, n)
	}
}

// note puts the counts of n operations into a slice's metrics.
func (c *crew) note(b *bench, s *result.Slice, counts count.Counts, n int64) error {
	if f := count.MultiplexFinding(b.Name, counts.Share); f != nil {
		if err := c.r.once(*f); err != nil {
			return err
		}
	}
	for unit, value := range counts.PerOp(n) {
		if s.Metrics == nil {
			s.Metrics = make(map[string]float64)
		}
		s.Metrics[unit] = value
	}
	return nil
}

// The counting rounds of a benchmark that stops its timer: so many a block,
// each with at most so many pauses, and the empty intervals beside them that
// say what a pause itself costs.
const (
	eventRounds = 3
	eventPauses = 1000
	leastEmpty  = 100
)

// countEvents runs rounds in which the counters stand still while the timer
// does: the workers stop and start them, so these rounds come last in a block
// and their times are worth nothing. One whose events cannot be stopped has no
// counts, and a finding.
func (r *runner) countEvents(ctx context.Context, c *crew, b *bench, which []int) (rounds []result.Round, err error) {
	if !r.o.Counters || !b.plan.Stops {
		return nil, nil
	}
	if err := c.attach(which); err != nil {
		return nil, err
	}
	for _, v := range which {
		var leaders []worker.Leader
		on, off := c.members[v].counted.counters.Leaders(func(tid, fd int) {
			leaders = append(leaders, worker.Leader{Thread: tid, Fd: fd})
		})
		if len(leaders) == 0 {
			return nil, nil // and the finding said so
		}
		if err := c.members[v].w.Hold(leaders, on, off, r.o.Timeout); err != nil {
			return nil, c.missed(ctx, b, v, err)
		}
	}
	n := b.plan.Iterations
	if b.plan.Paused {
		n = b.countingIterations(eventPauses, 100*time.Millisecond)
	}
	for range eventRounds {
		at := r.at()
		sides := make([]result.Slice, r.variants())
		for _, v := range which {
			s, err := c.countedSlice(ctx, b, c.members[v], n)
			if err != nil {
				return nil, c.missed(ctx, b, v, err)
			}
			sides[v] = s
		}
		rounds = append(rounds, result.Round{At: at, Order: which, Slices: sides})
	}
	return rounds, nil
}

// countedSlice counts the timed intervals of a slice, less what as many empty
// ones cost.
func (c *crew) countedSlice(ctx context.Context, b *bench, m *member, n int64) (result.Slice, error) {
	before, err := m.counted.counters.Read()
	if err != nil {
		return result.Slice{}, err
	}
	msg, err := m.w.CountedSlice(n, func() (err error) {
		before, err = m.counted.counters.Read()
		return err
	}, c.r.o.Timeout)
	if f := c.failed(ctx, m, msg, err, "Benchmark"+b.Name); f != nil {
		return result.Slice{}, f
	}
	s := msg.Slice
	after, err := m.counted.counters.Read()
	if err != nil {
		return s, err
	}
	empties := min(eventPauses, max(leastEmpty, s.Pauses))
	if err := m.w.Empty(empties, c.r.o.Timeout); err != nil {
		return s, err
	}
	emptied, err := m.counted.counters.Read()
	if err != nil {
		return s, err
	}
	empty := emptied.Since(after).Times(1 / float64(empties))
	if err := c.r.once(count.PausesFinding(b.Name, empty)); err != nil {
		return s, err
	}
	s.Metrics = nil // what the benchmark reports is known from timed rounds
	counts := after.Since(before).Less(empty.Times(float64(s.Pauses)).Total)
	return s, c.note(b, &s, counts, s.N)
}

// missed turns an error of a worker about its events into a finding; others
// come back as they are.
func (c *crew) missed(ctx context.Context, b *bench, v int, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case !errors.Is(err, worker.ErrNotHeld):
		return c.failed(ctx, c.members[v], worker.Message{}, err, "")
	}
	return c.r.once(count.PausesMissed(b.Name, err))
}

func (m *member) close() {
	if m.counted != nil {
		m.counted.counters.Close()
	}
	m.w.Close()
}
