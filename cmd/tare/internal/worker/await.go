package worker

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const watchEvery = 100 * time.Millisecond

// await waits for the next message of any worker. whose returns the worker to
// act, or nil, and how long it may act without using the CPU, or 0 for no
// limit. The error of one side is a *[SideError].
func (g *group) await(ctx context.Context, whose func() (*side, time.Duration)) (*side, Message, error) {
	var ticks <-chan time.Time
	watch := watch{}
	for {
		// Messages that have arrived come first.
		for _, s := range g.sides {
			if s.broken {
				continue
			}
			select {
			case l, ok := <-s.w.lines:
				switch {
				case ctx.Err() != nil:
					return s, Message{}, ctx.Err()
				case !ok:
					return s, Message{}, g.failed(s, Message{}, ErrGone)
				case errors.Is(l.err, errForged):
					return s, Message{}, g.failed(s, Message{}, l.err)
				case l.err != nil:
					s.broken = true
					return s, Message{}, l.err
				}
				return s, l.message, nil
			default:
			}
		}
		s, limit := whose()
		if s == nil {
			return nil, Message{}, nil
		}
		if ticks == nil {
			t := time.NewTicker(watchEvery)
			defer t.Stop()
			ticks = t.C
		}
		select {
		case <-g.notify:
		case <-ctx.Done():
			return s, Message{}, ctx.Err()
		case <-ticks:
			if err := watch.look(s, limit, g.options.Timeout, g.progress()); err != nil {
				return s, Message{}, g.failed(s, Message{}, err)
			}
		}
	}
}

func (g *group) progress() int {
	if g.board == nil {
		return 0
	}
	return g.board.Progress()
}

type watch struct {
	side     *side
	progress int
	since    time.Time // time of the last progress
	idle     time.Time // since when it has used almost no CPU time
	idleAt   time.Time // when it had used idleUsed
	idleUsed time.Duration
	threads  map[string]threadTime // at the last look, by number
}

// threadTime is how long a thread has run, how long it was ready to run and had
// no CPU, and whether it runs or is ready to.
type threadTime struct {
	used, delayed time.Duration
	ready         bool
}

// starved lists the threads that were ready to run between two looks and did not
// run. On a busy machine this sometimes takes seconds
// (docs/decisions/handoff.md). Such a process waits for nothing else.
func starved(before, now map[string]threadTime) (threads []string) {
	for thread, t := range now {
		if t.ready && before[thread].ready && before[thread].used == t.used {
			threads = append(threads, thread)
		}
	}
	return threads
}

// delayOf is the part of a time during which a process was ready to run and had
// no CPU, by the kernel, and the number of its threads that ran or would have
// run. The part is at least the true one: a goroutine runs in one thread, and
// others may be ready too. Threads with hardly any CPU time, such as the monitor
// of the Go runtime, do not delay anything. The number assumes that every thread
// would get as much of a CPU as the thread with the most.
func delayOf(before, now map[string]threadTime, wall time.Duration) (part, threads float64) {
	var used, delayed time.Duration
	for thread, t := range now {
		used += t.used - before[thread].used
	}
	share := 0.0
	for thread, t := range now {
		u, d := t.used-before[thread].used, t.delayed-before[thread].delayed
		if float64(u) > idleShare*float64(used) {
			delayed += d
		}
		if float64(u) > leastShare*float64(used) {
			share = max(share, float64(u)/float64(u+d))
		}
	}
	if wall <= 0 || share == 0 {
		return 0, 0
	}
	return float64(delayed) / float64(max(wall, used+delayed)), float64(used) / share / float64(wall)
}

// leastShare is the share of a process's CPU time from which a thread shows how
// much of a CPU it gets.
const leastShare = 0.1

// idleShare is the share of the time in which a worker may use the CPU and
// still count as waiting, since its runtime polls sometimes.
const idleShare = 0.02

// look is called repeatedly. It returns an error if the worker has made no
// progress for too long.
func (w *watch) look(s *side, limit, timeout time.Duration, progress int) error {
	now := time.Now()
	threads, used := threadTimes(s.w.Pid()), time.Duration(0)
	for _, t := range threads {
		used += t.used
	}
	known := len(threads) > 0
	if w.side != s || w.progress != progress || w.since.IsZero() {
		*w = watch{side: s, progress: progress, since: now, idle: now, idleAt: now, idleUsed: used, threads: threads}
		return nil
	}
	if !known && limit > 0 && now.Sub(w.idle) >= limit/2 {
		if used, known = processTime(s.w.Pid()); known && w.idleAt == w.idle {
			w.idleAt, w.idleUsed = now, used
		}
	}
	stuck := starved(w.threads, threads)
	requeue(s.w.Pid(), stuck)
	if len(stuck) > 0 || used-w.idleUsed > time.Duration(idleShare*float64(now.Sub(w.idleAt))) {
		w.idle, w.idleAt, w.idleUsed = now, now, used
	}
	w.threads = threads
	switch {
	case limit > 0 && known && now.Sub(w.idle) >= limit:
		return fmt.Errorf("%w (%s)", ErrStalled, now.Sub(w.idle).Round(100*time.Millisecond))
	case timeout > 0 && now.Sub(w.since) >= timeout:
		s.w.dump()
		return fmt.Errorf("wait for worker: %w (%s)", errTimeout, timeout)
	}
	return nil
}
