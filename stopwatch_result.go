package tare

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/histogram"
	"github.com/tarebench/tare/internal/finding"
	"github.com/tarebench/tare/internal/ticks"
)

// StopwatchResult is the result for the laps of a [Stopwatch].
type StopwatchResult struct {
	// Service counts from the start of each lap. Response counts from the
	// intended start, for laps that have one.
	Service, Response Distribution
	// Stopped is the number of timed laps. Running is the number of laps that
	// were started and not stopped.
	Stopped, Running int64
	// StoppedTwice counts calls of Stop for a lap that was already stopped.
	// Unknown counts calls for a lap of another stopwatch, or of none. Ahead
	// counts calls of StartAt with a time in the future or the zero time.
	StoppedTwice, Unknown, Ahead int64
}

// counts adds up everything except the distributions. It adds up their
// histograms too if service and response are not nil.
func (s *Stopwatch) counts(service, response *histogram.Histogram) StopwatchResult {
	r := StopwatchResult{Unknown: s.unknown.Load(), Ahead: s.ahead.Load()}
	for each := range s.shards.All() {
		v := *each
		r.Stopped += v.stopped
		r.StoppedTwice += v.twice
		r.Running += v.running
		if service != nil {
			_ = service.Merge(v.service) // all of one size
			_ = response.Merge(v.response)
		}
	}
	return r
}

// Result returns the result for the laps stopped so far.
func (s *Stopwatch) Result() StopwatchResult {
	service, response := newTicks(), newTicks()
	r := s.counts(service, response)
	base := s.base.between(s.moment, ticks.Pair())
	r.Service = base.distribution(service, 1, s.overhead, 0)
	r.Response = base.distribution(response, 1, s.overhead, 0)
	return r
}

// Span is a single lap as the clock showed it. Start and Stop are the times
// since the stopwatch was made.
type Span struct{ Start, Stop time.Duration }

// Duration is the time between start and stop.
func (s Span) Duration() time.Duration { return s.Stop - s.Start }

// Spans returns the laps that [KeepLaps] kept, in the order in which they were
// stopped.
func (s *Stopwatch) Spans() []Span {
	spans, _ := s.spans()
	return spans
}

// spans are the spans, and the timebase by which ticks became times.
func (s *Stopwatch) spans() ([]Span, timebase) {
	var all [][2]int64
	for v := range s.shards.All() {
		all = append(all, (*v).ring...)
	}
	slices.SortFunc(all, func(a, b [2]int64) int { return int(a[1] - b[1]) })
	all = all[max(0, len(all)-s.keep):]
	base := s.base.between(s.moment, ticks.Pair())
	zero := s.moment.Nanos
	if base.cycles {
		zero = s.moment.Ticks
	}
	nanos := func(tick int64) time.Duration {
		return time.Duration(math.Round(float64(tick-zero) * base.nanosPerTick))
	}
	spans := make([]Span, len(all))
	for i, lap := range all {
		spans[i] = Span{nanos(lap[0]), nanos(lap[1])}
	}
	return spans, base
}

// LapNanos returns the lengths of [Stopwatch.Spans] in nanoseconds, without the
// overhead. A single lap may be below zero by as much as the clock's step.
func (s *Stopwatch) LapNanos() []float64 {
	spans, base := s.spans()
	all := make([]float64, len(spans))
	for i, span := range spans {
		all[i] = float64(span.Duration()) - s.overhead.Typical*base.nanosPerTick
	}
	return all
}

// Durations is [Stopwatch.LapNanos] in whole nanoseconds.
func (s *Stopwatch) Durations() []time.Duration { return durations(s.LapNanos()) }

// String shows the service times, the response times if there are any, and the
// findings.
func (r StopwatchResult) String() string {
	text := r.Service.String()
	if r.Response.N > 0 {
		text = "service times:\n" + text + "\nresponse times:\n" + r.Response.String()
	}
	for _, f := range r.Findings() {
		text = strings.TrimSuffix(text, "\n") + "\n" + f.String() + "\n"
	}
	return text
}

// Findings reports mistakes in the calls. The findings of Service and Response
// report the limits of their numbers.
func (r StopwatchResult) Findings() []Finding {
	var all []finding.Finding
	add := func(k finding.Kind, n int64) {
		if n > 0 {
			all = append(all, k.Of("", finding.Count("laps", n, "lap")))
		}
	}
	add(finding.LapsRunning, r.Running)
	add(finding.LapsStoppedTwice, r.StoppedTwice)
	add(finding.LapsUnknown, r.Unknown)
	add(finding.LapsAhead, r.Ahead)
	return all
}
