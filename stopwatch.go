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
	"github.com/tarebench/tare/finding"
	"github.com/tarebench/tare/histogram"
	"github.com/tarebench/tare/internal/shard"
)

// Stopwatch times laps that begin in one goroutine and end in another. All
// its methods are safe for concurrent use. It reads [clock.Now], which all
// processors share, twice for each lap.
type Stopwatch struct {
	expected int64
	shards   *shard.Set[stopwatchShard]
	misused  atomic.Int64
	waiting  atomic.Int32
	changed  chan struct{}
	overhead overhead
}

// stopwatchShard counts laps. A lap ends in the shard where it began.
type stopwatchShard struct {
	free     *slot
	slots    int64 // ever made
	running  int64
	stopped  int64
	twice    int64
	service  *histogram.Histogram
	response *histogram.Histogram // of laps with an intended start
}

// slot is what a running lap holds of its stopwatch, and leaves for the next
// one when it is stopped. Its shard guards it, but for what never changes.
type slot struct {
	of         *Stopwatch
	shard      *shard.Cell[stopwatchShard]
	generation int64 // of the laps that have had it
	next       *slot // that is free
}

// slots are allocated together, since one by one those of two shards could lie
// in one cache line; the padding keeps off what lies behind.
type slots struct {
	each [16]slot
	_    [128]byte
}

// Lap is a running lap of a [Stopwatch]. It is a small value: copy it, send
// it through a channel.
type Lap struct {
	slot       *slot
	generation int64 // negative when the lap has an intended start
	start      int64
	intended   int64
}

// NewStopwatch returns a stopwatch that expects n laps; with n ≤ 0 it does not
// know how many. This only says when [Stopwatch.Wait] is over: more laps are
// timed as well. The first one of a process measures the empty lap, which takes
// about 10 ms.
func NewStopwatch(n int) *Stopwatch {
	s := newStopwatch()
	s.expected = max(0, int64(n))
	s.overhead = stopwatchOverhead()
	return s
}

func newStopwatch() *Stopwatch {
	return &Stopwatch{
		shards:  shard.New(func() stopwatchShard { return stopwatchShard{} }),
		changed: make(chan struct{}, 1),
	}
}

// stopwatchOverhead times laps of nothing and of rulers with a stopwatch of its
// own.
var stopwatchOverhead = sync.OnceValue(func() overhead {
	s := newStopwatch()
	cost := overheadsInTurns(func(rulers int) float64 {
		sum, x := int64(0), uint64(1)
		for range lapsPerRound {
			lap := s.Start()
			for range rulers {
				x = ruler(x)
			}
			nanos, _ := s.stop(lap)
			sum += nanos
		}
		keepAlive(x)
		return float64(sum) / lapsPerRound
	})
	return overhead{resolution: clock.Calibrate().Resolution, nanosPerTick: 1, lap: cost[0]}
})

// Start begins a lap.
func (s *Stopwatch) Start() Lap {
	held := s.take()
	return Lap{slot: held, generation: held.generation, start: clock.Now()}
}

// StartAt begins a lap that should have begun at intended, a reading of
// [clock.Now]. Its response time counts from there, its service time from
// now. A schedule that goes on while the system stalls so keeps the system
// from hiding the wait ("coordinated omission", G. Tene).
func (s *Stopwatch) StartAt(intended int64) Lap {
	held := s.take()
	return Lap{slot: held, generation: -held.generation, start: clock.Now(), intended: intended}
}

// Schedule yields laps at a steady rate per second until ctx is done: each is
// started when the loop is ready for it, but not before its intended time, and
// a loop that falls behind gets the laps it missed one after the other. The
// last half millisecond before a lap is spent spinning, since sleeping is not
// that exact. It panics when the rate is not positive.
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
				timer := time.NewTimer(time.Duration(wait))
				select {
				case <-timer.C:
				case <-ctx.Done():
					timer.Stop()
					return
				}
			}
			for clock.Now() < intended {
				runtime.Gosched()
			}
			if !yield(s.StartAt(intended)) {
				return
			}
		}
	}
}

func (s *Stopwatch) take() *slot {
	cell := s.shards.Lock()
	v := &cell.Value
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

func (s *Stopwatch) addSlots(cell *shard.Cell[stopwatchShard]) {
	more := new(slots)
	for i := range more.each {
		more.each[i] = slot{of: s, shard: cell, next: cell.Value.free}
		cell.Value.free = &more.each[i]
	}
	cell.Value.slots += int64(len(more.each))
}

// Stop ends a lap. It returns false, and counts the mistake for
// [StopwatchResult], when the lap was stopped before or is none of this
// stopwatch.
func (s *Stopwatch) Stop(lap Lap) bool {
	_, ok := s.stop(lap)
	return ok
}

func (s *Stopwatch) stop(lap Lap) (nanos int64, ok bool) {
	now := clock.Now()
	held := lap.slot
	if held == nil || held.of != s {
		s.misused.Add(1)
		return 0, false
	}
	nanos = now - lap.start
	scheduled := lap.generation < 0
	cell := held.shard
	cell.Lock()
	v := &cell.Value
	if held.generation != max(lap.generation, -lap.generation) {
		v.twice++
		cell.Unlock()
		return 0, false
	}
	held.generation++
	held.next, v.free = v.free, held
	v.running--
	v.stopped++
	record(&v.service, nanos)
	if scheduled {
		record(&v.response, now-lap.intended)
	}
	cell.Unlock()
	if s.waiting.Load() != 0 {
		select {
		case s.changed <- struct{}{}:
		default: // somebody has said so already
		}
	}
	return nanos, true
}

func record(h **histogram.Histogram, nanos int64) {
	if *h == nil {
		*h = histogram.New()
	}
	(*h).Record(nanos)
}

// Wait returns when as many laps were stopped as expected, and no lap runs;
// or when ctx is done, with its error and what is missing.
func (s *Stopwatch) Wait(ctx context.Context) error {
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	for {
		r := s.counts()
		if r.Stopped >= s.expected && r.Running == 0 {
			// Wake the next waiter: the word may have come to this one alone.
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

// StopwatchResult is what the laps of a [Stopwatch] come to.
type StopwatchResult struct {
	// Service counts from the start of each lap, Response from the intended
	// start of the laps that have one.
	Service, Response Distribution
	// Stopped is the number of laps that were timed, Running that of laps
	// started and not stopped.
	Stopped, Running int64
	// StoppedTwice counts calls of Stop for a lap that was stopped already,
	// Unknown those for a lap of another stopwatch, or of none.
	StoppedTwice, Unknown int64
}

// counts adds up everything but the distributions.
func (s *Stopwatch) counts() StopwatchResult {
	r := StopwatchResult{Unknown: s.misused.Load()}
	for v := range s.shards.All() {
		r.Stopped += v.stopped
		r.StoppedTwice += v.twice
		r.Running += v.running
	}
	return r
}

// Result answers for the laps stopped so far.
func (s *Stopwatch) Result() StopwatchResult {
	r := s.counts()
	service, response := histogram.New(), histogram.New()
	for v := range s.shards.All() {
		if v.service != nil {
			_ = service.Merge(v.service) // all of one size
		}
		if v.response != nil {
			_ = response.Merge(v.response)
		}
	}
	l := laps{settings: settings{repeat: 1}, overhead: s.overhead}
	if n := service.Count(); n > 0 {
		r.Service = l.distributionOf(service, n)
	}
	if n := response.Count(); n > 0 {
		r.Response = l.distributionOf(response, n)
	}
	return r
}

// Findings says what went wrong with the laps. What their numbers cannot show
// is in the findings of Service and Response.
func (r StopwatchResult) Findings() []finding.Finding {
	var all []finding.Finding
	add := func(n int64, id, message, action string) {
		if n > 0 {
			all = append(all, finding.Finding{ID: id, Severity: finding.Warning, Message: fmt.Sprintf(message, n), Action: action})
		}
	}
	add(r.Running, "laps-running", "%d laps were started and not stopped: they are not in the distribution", "stop every lap, also where an operation fails")
	add(r.StoppedTwice, "laps-stopped-twice", "%d times a lap was stopped that had been stopped before: the first time counts", "stop every lap once")
	add(r.Unknown, "laps-unknown", "%d times a lap was stopped that this stopwatch has not started", "stop a lap on the stopwatch that started it")
	return all
}
