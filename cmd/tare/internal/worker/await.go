package worker

import (
	"context"
	"fmt"
	"time"
)

// watchEvery is how often a group checks a worker that has not answered.
const watchEvery = 250 * time.Millisecond

// await waits for the next message of any worker. whose returns the worker that
// is to act, and how long it may do so without using the CPU, 0 for any time.
// whose returns nil if no worker is to act. The error of one side is a
// *[SideError].
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

// progress returns how many slots of the batch were taken.
func (g *group) progress() int {
	if g.board == nil {
		return 0
	}
	return g.board.Progress()
}

// watch follows the worker that the group waits for.
type watch struct {
	side     *side
	progress int
	since    time.Time     // the last progress
	used     time.Duration // CPU time then
	idle     time.Time     // since when it has used almost no CPU time
	idleUsed time.Duration
}

// idleShare is the share of the time in which a worker may use the CPU and
// still count as waiting: its runtime polls now and then.
const idleShare = 0.02

// look is called now and then. It returns an error once the worker has made no
// progress for too long.
func (w *watch) look(s *side, limit, timeout time.Duration, progress int) error {
	now := time.Now()
	used, known := processorTime(s.w.Pid())
	if w.side != s || w.progress != progress || w.since.IsZero() {
		*w = watch{side: s, progress: progress, since: now, used: used, idle: now, idleUsed: used}
		return nil
	}
	if used-w.idleUsed > time.Duration(idleShare*float64(now.Sub(w.idle))) {
		w.idle, w.idleUsed = now, used
	}
	switch {
	case limit > 0 && known && now.Sub(w.idle) >= limit:
		return fmt.Errorf("%w (%s)", ErrStalled, now.Sub(w.idle).Round(100*time.Millisecond))
	case timeout > 0 && now.Sub(w.since) >= timeout:
		s.w.dump()
		return fmt.Errorf("wait for worker: %w (%s)", errTimeout, timeout)
	}
	return nil
}
