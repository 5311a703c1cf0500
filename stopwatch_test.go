package tare

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/tarebench/tare/histogram"
	"github.com/tarebench/tare/internal/ticks"
)

// Laps begin in one goroutine and end in another. Laps beyond the expected
// number are timed as well (hrtime 1.0.4 panics at the first of these).
func TestStopwatchAcrossGoroutines(t *testing.T) {
	const starters, each = 8, 500
	s := NewStopwatch(starters * each / 2)
	running := make(chan Lap, 64)
	var wg sync.WaitGroup
	for range starters {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range each {
				running <- s.Start()
			}
		}()
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range each {
				if !s.Stop(<-running) {
					t.Error("a running lap could not be stopped")
				}
			}
		}()
	}
	wg.Wait()
	if err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := s.Result()
	if r.Stopped != starters*each || r.Service.N != starters*each || r.Running != 0 || r.StoppedTwice != 0 || r.Unknown != 0 {
		t.Errorf("%d stopped, %d in the distribution, %d running, %d twice, %d unknown", r.Stopped, r.Service.N, r.Running, r.StoppedTwice, r.Unknown)
	}
	if r.Response.N != 0 {
		t.Errorf("%d response times without a schedule", r.Response.N)
	}
}

func TestStopwatchMistakes(t *testing.T) {
	s, other := NewStopwatch(0), NewStopwatch(0)
	lap := s.Start()
	if !s.Stop(lap) || s.Stop(lap) {
		t.Error("Stop is true once, then false")
	}
	again := s.Start() // in the same slot
	if s.Stop(lap) {
		t.Error("a stale lap stopped its successor")
	}
	if !s.Stop(again) {
		t.Error("a stale lap hurt its successor")
	}
	if s.Stop(Lap{}) || s.Stop(other.Start()) {
		t.Error("stopped an unknown lap")
	}
	s.Start() // and never stopped
	r := s.Result()
	if r.Stopped != 2 || r.StoppedTwice != 2 || r.Unknown != 2 || r.Running != 1 {
		t.Errorf("%d stopped, %d twice, %d unknown, %d running", r.Stopped, r.StoppedTwice, r.Unknown, r.Running)
	}
	ids := ""
	for _, f := range r.Findings() {
		ids += f.ID + " "
	}
	for _, id := range []string{"laps-running", "laps-stopped-twice", "laps-unknown"} {
		if !strings.Contains(ids, id) {
			t.Errorf("findings %q lack %s", ids, id)
		}
	}
}

func TestStopwatchWait(t *testing.T) {
	s := NewStopwatch(2)
	s.Stop(s.Start())
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	err := s.Wait(ctx)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "1 of 2 stopped") {
		t.Errorf("Wait: %v", err)
	}
	var wg sync.WaitGroup
	for range 3 { // all waiters wake up
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := s.Wait(t.Context()); err != nil {
				t.Error(err)
			}
		}()
	}
	lap := s.Start()
	time.Sleep(time.Millisecond)
	s.Stop(lap)
	wg.Wait()
}

// One stall of 30 ms in a schedule of 1 kHz shows in one service time and in
// about 30 response times.
func TestScheduleShowsStalls(t *testing.T) {
	s := NewStopwatch(0)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	n := 0
	for lap := range s.Schedule(ctx, 1000) {
		if n == 5 {
			time.Sleep(30 * time.Millisecond)
		}
		s.Stop(lap)
		if n++; n == 60 {
			break
		}
	}
	r := s.Result()
	if r.Service.N != 60 || r.Response.N != 60 {
		t.Fatalf("%d service and %d response times", r.Service.N, r.Response.N)
	}
	service := r.Service.Quantile(0.75)
	response := r.Response.Quantile(0.75) // 15 of 60 laps began 15 to 30 ms late
	if response.Value < 10e6 {
		t.Errorf("p75 of the response is %v ns, though the stall delayed half of the laps", response.Value)
	}
	if service.Value > response.Value/2 {
		t.Errorf("p75 of the service is %v ns, of the response %v", service.Value, response.Value)
	}
}

func TestScheduleEnds(t *testing.T) {
	s := NewStopwatch(0)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	for lap := range s.Schedule(ctx, 0.1) { // the second lap is 10 s away
		s.Stop(lap)
	}
	if r := s.Result(); r.Stopped != 1 {
		t.Errorf("%d laps", r.Stopped)
	}
	// The second lap is later than a clock can represent, so it does not come
	// at once.
	ctx, cancel = context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	for lap := range s.Schedule(ctx, 1e-12) {
		s.Stop(lap)
	}
	if r := s.Result(); r.Stopped != 2 {
		t.Errorf("%d laps of both schedules", r.Stopped)
	}
	for _, rate := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a schedule of %v laps per second", rate)
				}
			}()
			s.Schedule(t.Context(), rate)
		}()
	}
}

func TestStartAtCountsFromTheIntention(t *testing.T) {
	s := NewStopwatch(1)
	s.Stop(s.StartAt(time.Now().Add(-time.Second)))
	r := s.Result()
	if response := r.Response.Mean().Value; response < 0.999e9 {
		t.Errorf("response %v ns, began a second late", response)
	}
	if service := r.Service.Mean().Value; service > 0.5e9 {
		t.Errorf("service %v ns", service)
	}
}

// Memory is proportional to the laps that run at a time, not to all of them.
func TestStopwatchMemory(t *testing.T) {
	s := NewStopwatch(0)
	s.Stop(s.Start())
	if n := testing.AllocsPerRun(5000, func() { s.Stop(s.Start()) }); n != 0 {
		t.Errorf("%v allocations a lap", n)
	}
	slots := int64(0)
	for v := range s.shards.All() {
		for held := (*v).free; held != nil; held = held.next { // no lap runs
			slots++
		}
	}
	if slots > 16*int64(s.shards.Len()) {
		t.Errorf("%d slots for one lap at a time", slots)
	}
}

// No cache line is written by two shards.
func TestShardsShareNoCacheLine(t *testing.T) {
	s := NewStopwatch(0)
	var all, ready sync.WaitGroup
	const goroutines = 300 // live at the same time, each with its own stack
	ready.Add(goroutines)
	for i := range goroutines {
		all.Add(1)
		go func() {
			defer all.Done()
			if i%3 > 0 {
				s.Stop(s.Start())
			} else {
				s.Stop(s.StartAt(time.Now()))
			}
			ready.Done()
			ready.Wait()
		}()
	}
	all.Wait()
	owner := map[uintptr]*slot{}
	used := 0
	for each := range s.shards.All() {
		v := *each
		if v.free == nil {
			continue
		}
		used++
		written := func(what string, at unsafe.Pointer, size uintptr) {
			for line := uintptr(at) / 64; line <= (uintptr(at)+size-1)/64; line++ {
				if of := owner[line]; of != nil && of.shard != v.free.shard {
					t.Errorf("%s of one shard shares a cache line with another shard", what)
				}
				owner[line] = v.free
			}
		}
		written("the counters", unsafe.Pointer(v), unsafe.Sizeof(*v)-128) // its padding
		for held := v.free; held != nil; held = held.next {
			written("a slot", unsafe.Pointer(held), unsafe.Sizeof(*held))
		}
		for _, h := range []*histogram.Histogram{v.service, v.response} {
			if h != nil {
				written("a histogram", unsafe.Pointer(h), unsafe.Sizeof(*h)-128) // its padding
			}
		}
	}
	if used < s.shards.Len()/2 {
		t.Errorf("%d goroutines used %d of %d shards", goroutines, used, s.shards.Len())
	}
}

// A lap begins after its intended time. The opposite order is a mistake, which
// is counted, and gives no response time.
func TestStartAtInTheFuture(t *testing.T) {
	for name, intended := range map[string]time.Time{"future": time.Now().Add(time.Hour), "zero": {}} {
		s := NewStopwatch(1)
		s.Stop(s.StartAt(intended))
		r := s.Result()
		if r.Ahead != 1 || r.Stopped != 1 || r.Response.N != 0 || r.Service.N != 1 {
			t.Errorf("%s: %d ahead, %d response times, %d service times", name, r.Ahead, r.Response.N, r.Service.N)
		}
		if f := r.Findings(); len(f) != 1 || f[0].ID != "laps-ahead" {
			t.Errorf("%s: findings %v", name, f)
		}
	}
}

// The last laps are kept, in the order in which they were stopped, on both clocks.
func TestSpans(t *testing.T) {
	for name, options := range clocks {
		s := NewStopwatch(0, append(options, KeepLaps(5))...)
		before := ticks.Now() // package time has large steps on Windows
		laps := make([]Lap, 8)
		for i := range laps {
			laps[i] = s.Start()
		}
		for i := range laps {
			spin(200 * time.Microsecond)
			s.Stop(laps[len(laps)-1-i])
		}
		took := time.Duration(ticks.Now() - before)
		spans, durations, nanos := s.Spans(), s.Durations(), s.LapNanos()
		if len(spans) != 5 || len(durations) != 5 || len(nanos) != 5 {
			t.Fatalf("%s: %d spans, %d durations, %d laps, want 5", name, len(spans), len(durations), len(nanos))
		}
		for i, span := range spans {
			if least := 200 * time.Microsecond * time.Duration(3+i+1); span.Duration() < least*999/1000 || span.Duration() > took {
				t.Errorf("%s: span %d lasts %v, want %v to %v", name, i, span.Duration(), least, took)
			}
			if i > 0 && (span.Stop < spans[i-1].Stop || span.Start > spans[i-1].Start) {
				t.Errorf("%s: spans %+v are out of order", name, spans)
			}
			// Each call measures the rate of the cycle clock anew, to a few parts in a million.
			rounding := 0.5
			if s.base.cycles {
				rounding += nanos[i] * 1e-5
			}
			if durations[i] > span.Duration() || math.Abs(float64(durations[i])-nanos[i]) > rounding {
				t.Errorf("%s: lap %d of %v is %v, %v ns corrected", name, i, span.Duration(), durations[i], nanos[i])
			}
		}
		if r := s.Result(); r.Service.Cycles != (name == "any clock" && s.base.cycles) || r.Service.N != 8 {
			t.Errorf("%s: %+v", name, r.Service)
		}
	}
	if spans := NewStopwatch(1).Spans(); len(spans) != 0 {
		t.Errorf("%d spans without KeepLaps", len(spans))
	}
}

// A stopwatch that was not made times nothing, and reports it.
func TestZeroStopwatch(t *testing.T) {
	var watch Stopwatch
	if watch.Stop(watch.StartAt(time.Now().Add(-time.Second))) || watch.Stop(watch.Start()) {
		t.Error("a lap was stopped")
	}
	if err := watch.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	if r := watch.Result(); r.Unknown != 2 || r.Stopped != 0 || len(r.Findings()) != 1 || len(watch.Spans()) != 0 {
		t.Errorf("%+v", r)
	}
}

func TestPrintedStopwatchShowsWhatExists(t *testing.T) {
	watch := NewStopwatch(10)
	for range 10 {
		watch.Stop(watch.Start())
	}
	watch.Start()
	text := fmt.Sprint(watch.Result())
	if strings.Contains(text, "no lap was timed") || strings.Contains(text, "response") || !strings.Contains(text, "laps-running") {
		t.Errorf("without response times:\n%s", text)
	}
	watch.Stop(watch.StartAt(time.Now()))
	if text := fmt.Sprint(watch.Result()); !strings.Contains(text, "response times:\n") {
		t.Errorf("with response times:\n%s", text)
	}
}

func TestUnknownLatencyIsBelowNoLimit(t *testing.T) {
	watch := NewStopwatch(10)
	watch.Stop(watch.Start())
	p999 := watch.Result().Service.Quantile(0.999)
	if p999.Needs == 0 || p999.Duration() < time.Hour {
		t.Errorf("p99.9 of one lap is %v, needs %d", p999.Duration(), p999.Needs)
	}
}
