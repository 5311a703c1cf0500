package study

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/count"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/worker"
)

// workerCounters are the counters of one live worker. They are read from outside of
// the process, before a slice and after it, while the worker waits.
type workerCounters struct {
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
func (l *workerSet) attach() error {
	for side := len(l.counted); side < len(l.variants); side++ {
		counters, findings, err := count.OpenCounters(l.group.Worker(side).Pid())
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

// openCounters opens the counters for timed slices and learns the fixed cost
// of a slice. A benchmark that stops its timer is counted apart.
func (l *workerSet) openCounters(ctx context.Context) error {
	b := l.b
	if !l.r.o.Counters || b.plan.Stops {
		return nil
	}
	if err := l.attach(); err != nil {
		return err
	}
	if b.plan.Iterations < 2 {
		return nil
	}
	samples := make([]map[count.Event][]float64, len(l.counted))
	for range fixedSlices {
		if _, err := l.take(ctx, []roundPlan{{order: l.variants, n: 1}}); err != nil {
			return err
		}
		for side, c := range l.counted {
			if samples[side] == nil {
				samples[side] = make(map[count.Event][]float64)
			}
			for e, n := range c.last.Total {
				samples[side][e] = append(samples[side][e], n)
			}
		}
	}
	for side, events := range samples {
		fixed := make(map[count.Event]float64)
		for e, list := range events {
			slices.Sort(list)
			fixed[e] = list[len(list)/2]
		}
		l.counted[side].fixed = fixed
	}
	return nil
}

// counting brackets a timed slice of a side: what it returns puts the counts
// per operation into the slice's metrics.
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
			return nil // they hold what it did meanwhile
		}
		counts, n := c.last, s.N
		if c.fixed != nil && n > 1 {
			counts = counts.Less(c.fixed)
			n-- // the fixed cost holds one operation
		}
		return l.addCounts(s, counts, n)
	}
}

// addCounts puts the counts of n operations into a slice's metrics.
func (l *workerSet) addCounts(s *result.Slice, counts count.Counts, n int64) error {
	if f := count.MultiplexFinding(l.b.Name, counts.Share); f != nil {
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

// The counting rounds of a benchmark that stops its timer: that many a block,
// each with at most that many pauses, and the empty intervals with them that
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
func (l *workerSet) countEvents(ctx context.Context) (rounds []result.Round, err error) {
	b := l.b
	if !l.r.o.Counters || !b.plan.Stops {
		return nil, nil
	}
	if err := l.attach(); err != nil {
		return nil, err
	}
	for side, c := range l.counted {
		var leaders []worker.Leader
		on, off := c.counters.Leaders(func(tid, fd int) {
			leaders = append(leaders, worker.Leader{Thread: tid, Fd: fd})
		})
		if len(leaders) == 0 {
			return nil, nil // and the finding said so
		}
		if err := l.group.Worker(side).Hold(leaders, on, off, l.r.o.Timeout); err != nil {
			return nil, l.missed(ctx, side, err)
		}
	}
	n := b.plan.Iterations
	if b.plan.Paused {
		n = b.countingIterations(eventPauses, 100*time.Millisecond)
	}
	for range eventRounds {
		round := result.Round{At: l.r.elapsed(), Order: l.variants, Slices: make([]result.Slice, l.r.variants())}
		for side, v := range l.variants {
			if round.Slices[v], err = l.countedSlice(side, n); err != nil {
				return nil, l.missed(ctx, side, err)
			}
		}
		rounds = append(rounds, round)
	}
	return rounds, nil
}

// countedSlice counts the timed intervals of a slice, less what as many empty
// ones cost.
func (l *workerSet) countedSlice(side int, n int64) (result.Slice, error) {
	w, counters := l.group.Worker(side), l.counted[side].counters
	before, err := counters.Read()
	if err != nil {
		return result.Slice{}, err
	}
	msg, err := w.CountedSlice(n, func() (err error) {
		before, err = counters.Read()
		return err
	}, l.r.o.Timeout)
	switch {
	case err != nil:
		return result.Slice{}, l.sideError(side, msg, err)
	case msg.Kind != worker.Done:
		return result.Slice{}, l.sideError(side, msg, nil)
	}
	s := msg.Slice
	after, err := counters.Read()
	if err != nil {
		return s, err
	}
	empties := min(eventPauses, max(leastEmpty, s.Pauses))
	if err := w.Empty(empties, l.r.o.Timeout); err != nil {
		return s, err
	}
	emptied, err := counters.Read()
	if err != nil {
		return s, err
	}
	empty := emptied.Since(after).Times(1 / float64(empties))
	if err := l.r.once(count.PausesFinding(l.b.Name, empty)); err != nil {
		return s, err
	}
	s.Metrics = nil // what the benchmark reports is known from timed rounds
	counts := after.Since(before).Less(empty.Times(float64(s.Pauses)).Total)
	return s, l.addCounts(&s, counts, s.N)
}

// sideError is the error of a side whose worker was asked for a slice directly.
func (l *workerSet) sideError(side int, msg worker.Message, err error) error {
	w := l.group.Worker(side)
	of := &worker.SideError{Side: side, Message: msg, Output: w.Output(), Err: err}
	if errors.Is(err, worker.ErrGone) {
		of.Exit = w.Wait(l.r.o.Timeout)
		of.Output = w.Output()
	}
	return of
}

// missed turns an error of a worker about its events into a finding; others
// come back as they are.
func (l *workerSet) missed(ctx context.Context, side int, err error) error {
	if !errors.Is(err, worker.ErrNotHeld) || ctx.Err() != nil {
		return l.failed(ctx, err)
	}
	return l.r.once(count.PausesMissed(l.b.Name, err))
}

func (c *workerCounters) close() { c.counters.Close() }
