package study

import (
	"context"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/instrument"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// workerCounters are the counters of one live worker. tare reads them
// from outside the process before and after a slice, while the worker
// waits.
type workerCounters struct {
	counters *instrument.Counters
	// fixed is the cost of a slice that does not depend on its iterations: the
	// handshake and, for b.N loops, the collection before the loop and the
	// setup. It is nil until it is measured.
	fixed map[instrument.Event]float64
	// last is the count of the latest slice.
	last instrument.Counts
}

// fixedSlices is the number of one-iteration slices whose median is the
// fixed cost.
const fixedSlices = 3

// attach opens the counters of every worker. If nothing can be counted,
// a finding gives the reason once a study.
func (l *workerSet) attach() error {
	for side := len(l.counted); side < len(l.variants); side++ {
		counters, findings, err := instrument.OpenCounters(l.group.Worker(side).Pid())
		if err != nil {
			return err
		}
		l.counted = append(l.counted, &workerCounters{counters: counters})
		for _, f := range findings {
			if err := l.r.once(f); err != nil {
				return err
			}
		}
	}
	return nil
}

// openCounters opens the counters for timed slices and measures the fixed cost
// of a slice. It does not count a benchmark that stops its timer, since the
// counters would include the pauses.
func (l *workerSet) openCounters(ctx context.Context) error {
	b := l.b
	switch {
	case !l.r.o.Counters:
		return nil
	case b.pilot.Stops:
		return l.r.once(catalog.CountersPaused.Of(b.Name))
	}
	if err := l.attach(); err != nil {
		return err
	}
	if b.pilot.Iterations < 2 {
		return nil
	}
	samples := make([]map[instrument.Event][]float64, len(l.counted))
	for range fixedSlices {
		if _, err := l.take(ctx, []roundPlan{{order: l.variants, n: 1}}); err != nil {
			return err
		}
		for side, c := range l.counted {
			if samples[side] == nil {
				samples[side] = make(map[instrument.Event][]float64)
			}
			for e, n := range c.last.Total {
				samples[side][e] = append(samples[side][e], n)
			}
		}
	}
	for side, events := range samples {
		fixed := make(map[instrument.Event]float64)
		for e, list := range events {
			slices.Sort(list)
			fixed[e] = list[len(list)/2]
		}
		l.counted[side].fixed = fixed
	}
	return nil
}

// counting starts the counters for a timed slice of a variant. The returned
// function puts the counts per operation into the slice's metrics.
func (l *workerSet) counting(side int) func(*result.Slice) error {
	c := l.counted[side]
	before, err := c.counters.Read()
	return func(s *result.Slice) error {
		if err != nil {
			return err
		}
		after, err := c.counters.Read()
		if err != nil {
			return err
		}
		c.last = after.Since(before)
		if s.Pauses > 1 {
			return nil // they include the work meanwhile
		}
		counts, n := c.last, s.N
		if c.fixed != nil && n > 1 {
			counts = counts.Less(c.fixed)
			n-- // the fixed cost includes one operation
		}
		return l.addCounts(s, counts, n)
	}
}

// addCounts puts the counts of n operations into a slice's metrics.
func (l *workerSet) addCounts(s *result.Slice, counts instrument.Counts, n int64) error {
	if f := instrument.MultiplexFinding(l.b.Name, counts.Share); f != nil {
		if err := l.r.once(*f); err != nil {
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

func (c *workerCounters) close() { c.counters.Close() }
