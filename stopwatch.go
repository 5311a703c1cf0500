package tare

import (
	"context"
	"fmt"
	"iter"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tarebench/tare/clock"
	"github.com/tarebench/tare/internal/stripe"
	"github.com/tarebench/tare/internal/ticks"
)

// Stopwatch times laps that begin in one goroutine and end in another. All its
// methods are safe for concurrent use. It reads the clock twice for each lap:
// [clock.Cycles] if that is supported and cheaper, else [clock.Now]. Make one
// with [NewStopwatch]. The zero Stopwatch times nothing, and counts every call
// of Stop as a mistake.
//
// The compiler may move arithmetic out of the lap if its result is used later:
// see [Keep].
type Stopwatch struct {
	base     timebase
	overhead clock.Cost // of a lap, in ticks
	keep     int        // number of single laps
	expected int64
	shards   *stripe.Set[*stopwatchShard]
	unknown  atomic.Int64
	ahead    atomic.Int64
	waiting  atomic.Int32
	changed  chan struct{}
	moment   ticks.Pairing // when it was made
}

// Lap is a running lap of a [Stopwatch]. It is a small value that can be copied
// and sent through a channel.
type Lap struct {
	slot       *slot
	generation int64 // negative if the lap has an intended start
	start      int64 // ticks
	waited     int64 // nanoseconds since the intended start
}

// NewStopwatch returns a stopwatch that expects n laps. If n ≤ 0, the number is
// unknown. The number only determines when [Stopwatch.Wait] returns: more laps
// are timed as well. The first stopwatch of a process measures the empty lap,
// which takes about 50 ms.
func NewStopwatch(n int, options ...StopwatchOption) *Stopwatch {
	settings := newSettings(options)
	base := baseOf(settings.monotonic)
	s := newStopwatch(base)
	s.keep = settings.keep
	s.expected = max(0, int64(n))
	s.overhead = stopwatchOverhead(base)
	return s
}

func newStopwatch(base timebase) *Stopwatch {
	return &Stopwatch{
		base:    base,
		shards:  stripe.New(func() *stopwatchShard { return new(stopwatchShard) }),
		changed: make(chan struct{}, 1),
		moment:  ticks.Pair(),
	}
}

var cyclesStopwatch, nowStopwatch struct {
	once sync.Once
	lap  clock.Cost
}

func stopwatchOverhead(base timebase) clock.Cost {
	c := &nowStopwatch
	if base.cycles {
		c = &cyclesStopwatch
	}
	c.once.Do(func() { c.lap = stopwatchLap(base) })
	return c.lap
}

func stopwatchLap(base timebase) clock.Cost {
	s := newStopwatch(base)
	return overheadsInTurns(func(rulers int) float64 {
		sum, x := int64(0), uint64(1)
		for range lapsPerRound {
			lap := s.Start()
			for range rulers {
				x = ruler(x)
			}
			ticks, _ := s.stop(lap)
			sum += ticks
		}
		Keep(x)
		return float64(sum) / lapsPerRound
	})[0]
}

// Start begins a lap.
func (s *Stopwatch) Start() Lap {
	if s.shards == nil {
		return Lap{}
	}
	held := s.take()
	lap := Lap{slot: held, generation: held.generation}
	if s.base.cycles {
		lap.start = ticks.Before()
	} else {
		lap.start = ticks.Now()
	}
	return lap
}

// StartAt begins a lap that should have begun at intended. Its response time
// counts from intended, its service time from now. A schedule that continues
// while the system stalls then shows the wait instead of hiding it
// ("coordinated omission", G. Tene).
//
// A lap cannot begin before its intended time. For a time in the future, and
// for the zero time, there is no response time, and [StopwatchResult] counts
// the mistake.
func (s *Stopwatch) StartAt(intended time.Time) Lap {
	waited := int64(time.Since(intended))
	if intended.IsZero() || waited < 0 {
		s.ahead.Add(1)
		return s.Start()
	}
	return s.startLate(waited)
}

// startLate begins a lap that should have begun that many nanoseconds ago.
func (s *Stopwatch) startLate(waited int64) Lap {
	lap := s.Start()
	lap.generation, lap.waited = -lap.generation, waited
	return lap
}

// Schedule yields laps at a steady rate per second until ctx is done. Each lap
// starts when the loop is ready for it, but not before its intended time. A
// loop that is late gets the missed laps one after the other. Schedule spins
// during the last half millisecond before a lap, because sleeping is not that
// exact. It panics if the rate is not positive.
func (s *Stopwatch) Schedule(ctx context.Context, rate float64) iter.Seq[Lap] {
	if !(rate > 0) || math.IsInf(rate, 0) {
		panic(fmt.Sprintf("tare: schedule of %v laps per second", rate))
	}
	const spin = int64(500 * time.Microsecond)
	return func(yield func(Lap) bool) {
		begin := clock.Now()
		for i := 0; ctx.Err() == nil; i++ {
			intended := begin + int64(min(float64(i)/rate*1e9, 1<<62))
			if wait := intended - clock.Now() - spin; wait > 0 {
				select {
				case <-time.After(time.Duration(wait)):
				case <-ctx.Done():
					return
				}
			}
			for clock.Now() < intended {
				runtime.Gosched()
			}
			if !yield(s.startLate(clock.Now() - intended)) {
				return
			}
		}
	}
}

// Stop ends a lap. If the lap was already stopped, or belongs to another
// stopwatch, Stop returns false and [StopwatchResult] counts the mistake.
func (s *Stopwatch) Stop(lap Lap) bool {
	_, ok := s.stop(lap)
	return ok
}

func (s *Stopwatch) stop(lap Lap) (length int64, ok bool) {
	var now int64
	if s.base.cycles {
		now = ticks.After()
	} else {
		now = ticks.Now()
	}
	held := lap.slot
	if held == nil || held.of != s.shards {
		s.unknown.Add(1)
		return 0, false
	}
	length = now - lap.start
	cell := held.shard
	cell.Lock()
	v := cell.Value
	if held.generation != max(lap.generation, -lap.generation) {
		v.twice++
		cell.Unlock()
		return 0, false
	}
	held.generation++
	held.next, v.free = v.free, held
	v.running--
	v.stopped++
	record(&v.service, length)
	if lap.generation < 0 {
		record(&v.response, length+s.inTicks(lap.waited))
	}
	if s.keep > 0 {
		v.keep(s.keep, [2]int64{lap.start, now})
	}
	cell.Unlock()
	if s.waiting.Load() != 0 {
		select {
		case s.changed <- struct{}{}:
		default: // a waiter has already been notified
		}
	}
	return length, true
}

func (s *Stopwatch) inTicks(nanos int64) int64 {
	if !s.base.cycles {
		return nanos
	}
	return int64(float64(nanos) / s.base.nanosPerTick)
}

// Wait returns when the expected number of laps has stopped and no lap runs. It
// also returns when ctx is done, with its error and the number of missing laps.
func (s *Stopwatch) Wait(ctx context.Context) error {
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	for {
		r := s.counts(nil, nil)
		if r.Stopped >= s.expected && r.Running == 0 {
			// Wake the next waiter: this one may be the only one notified.
			select {
			case s.changed <- struct{}{}:
			default:
			}
			return nil
		}
		select {
		case <-s.changed:
		case <-ctx.Done():
			return fmt.Errorf("wait for laps: %d of %d stopped, %d running: %w", r.Stopped, s.expected, r.Running, ctx.Err())
		}
	}
}
