package instrument

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/internal/finding"
)

// Event is a hardware or software event, with its name in perf(1).
type Event string

const (
	Cycles            Event = "cycles"
	InstructionEvents Event = "instructions"
	Branches          Event = "branches"
	BranchMisses      Event = "branch-misses"
	CacheMisses       Event = "cache-misses"

	TaskClock       Event = "task-clock" // nanoseconds of CPU time
	ContextSwitches Event = "context-switches"
	PageFaults      Event = "page-faults"
	Migrations      Event = "cpu-migrations"
)

// hardware events are one group: the kernel schedules them together or not at
// all. Their ratios therefore cover the same time.
var hardware = []Event{Cycles, InstructionEvents, Branches, BranchMisses, CacheMisses}

// software events need no PMU and are never multiplexed. As a group they start
// and stop together.
var software = []Event{TaskClock, ContextSwitches, PageFaults, Migrations}

// Value is a counter as the kernel returns it: Count of the time Running out of
// the time Enabled, both in nanoseconds. Running is less if the kernel had to
// share the PMU (multiplexing).
type Value struct {
	Count, Enabled, Running uint64
}

// decodeValue decodes the result of read(2) for PERF_FORMAT_TOTAL_TIME_ENABLED
// | PERF_FORMAT_TOTAL_TIME_RUNNING: three words in the machine's byte order.
func decodeValue(b []byte) (Value, error) {
	if len(b) != 24 {
		return Value{}, fmt.Errorf("decode counter: %d bytes, want 24", len(b))
	}
	return Value{
		Count:   binary.NativeEndian.Uint64(b),
		Enabled: binary.NativeEndian.Uint64(b[8:]),
		Running: binary.NativeEndian.Uint64(b[16:]),
	}, nil
}

func (v Value) add(w Value) Value {
	return Value{v.Count + w.Count, v.Enabled + w.Enabled, v.Running + w.Running}
}

// Reading contains all counters of a process at one moment, added up over its
// threads.
type Reading map[Event]Value

// Counts are the events between two readings.
type Counts struct {
	// Total contains the scaled count of each event that ran.
	Total map[Event]float64
	// Share is the smallest part of the time that a counter ran, 0 to 1. Below
	// 1 the counts are extrapolated.
	Share float64
}

// Since returns the counts after earlier. Multiplexed counts are scaled by
// enabled/running, as perf(1) does.
func (r Reading) Since(earlier Reading) Counts {
	c := Counts{Total: map[Event]float64{}, Share: 1}
	for e, v := range r {
		w := earlier[e]
		count, enabled, running := v.Count-w.Count, v.Enabled-w.Enabled, v.Running-w.Running
		switch {
		case enabled == 0: // the process did not run
			c.Total[e] = float64(count)
		case running == 0:
			c.Share = 0
		default:
			c.Total[e] = float64(count) * float64(enabled) / float64(running)
			c.Share = min(c.Share, float64(running)/float64(enabled))
		}
	}
	return c
}

// Less subtracts a fixed part from every count.
func (c Counts) Less(fixed map[Event]float64) Counts {
	less := Counts{Total: make(map[Event]float64, len(c.Total)), Share: c.Share}
	for e, v := range c.Total {
		less.Total[e] = max(0, v-fixed[e])
	}
	return less
}

// PerOp turns counts into metrics per operation, named EVENT/op. CPU time is
// "cpu-sec/op", and the PMU's instructions are "pmu-instructions/op". Events
// that were not counted are absent, never zero.
func (c Counts) PerOp(n int64) map[string]float64 {
	m := make(map[string]float64, len(c.Total))
	if n <= 0 {
		return m
	}
	for e, v := range c.Total {
		switch e {
		case TaskClock:
			m["cpu-sec/op"] = v / 1e9 / float64(n)
		case InstructionEvents: // instructions/op is callgrind's
			m["pmu-instructions/op"] = v / float64(n)
		default:
			m[string(e)+"/op"] = v / float64(n)
		}
	}
	return m
}

// MultiplexFinding reports extrapolated counts, and is nil for exact ones.
func MultiplexFinding(subject string, share float64) *finding.Finding {
	if share >= 0.999 {
		return nil
	}
	f := catalog.CountersMultiplexed.Of(subject, finding.Share("share", share))
	return &f
}

// errNoPMU, errForbidden and errFiltered are the reasons why counters do not
// open.
var (
	errNoPMU     = errors.New("no performance monitoring unit")
	errForbidden = errors.New("forbidden by perf_event_paranoid")
	errFiltered  = errors.New("perf_event_open is filtered")
)

// openFinding names the setting that causes an error of opening hardware (or, if
// all is true, any) counters. paranoid is the content of
// /proc/sys/kernel/perf_event_paranoid.
func openFinding(err error, paranoid string, all bool) finding.Finding {
	what := "hardware counters"
	if all {
		what = "hardware and software counters"
	}
	switch {
	case errors.Is(err, errNoPMU):
		return catalog.NoPMU.Of(what)
	case errors.Is(err, errFiltered):
		return catalog.CountersFiltered.Of(what)
	case errors.Is(err, errForbidden):
		return catalog.CountersForbidden.Of(what, finding.Text("setting", paranoid))
	}
	return catalog.CountersFailed.Of(what, finding.Text("why", err.Error()))
}
