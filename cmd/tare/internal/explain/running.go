package explain

import (
	"math"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/tarebench/tare/cmd/tare/internal/instrument"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// running is a benchmark's use of resources besides its time. All fields except
// Collector are per operation.
type running struct {
	// Bytes and Objects come from the heap.
	Bytes   float64 `json:"bytes"`
	Objects float64 `json:"objects"`
	// Collector is the garbage collector's share of the CPU time: 0 to 1.
	// Samples is its number of profile samples, or 0 if the runtime measured it
	// during a study.
	Collector float64 `json:"collector_share"`
	Samples   int     `json:"collector_samples,omitempty"`
	// Seconds is the CPU time outside of the kernel, SystemSeconds the CPU time
	// inside.
	Seconds       float64 `json:"user_seconds"`
	SystemSeconds float64 `json:"system_seconds"`
}

func (r running) cpu() float64 { return r.Seconds + r.SystemSeconds }

// collectorRoots begin the names of the root functions of the collector's work, on its
// goroutines and as an assist on others.
var collectorRoots = []string{
	"runtime.gcBgMarkWorker", "runtime.gcAssistAlloc", "runtime.bgsweep", "runtime.bgscavenge", "runtime.gcStart", "runtime.gcMarkTermination",
	"runtime.deductSweepCredit", "runtime.gcMarkDone",
}

// Recorded replaces the values of one run by the values that a study recorded.
func (r *running) Recorded(c *result.RuntimeCounts) {
	if c == nil || c.User <= 0 {
		return
	}
	r.Collector, r.Samples, r.Seconds, r.SystemSeconds = c.GCShare, 0, c.User, c.System
}

// collectorDiffers reports whether the collector's shares differ by more than
// 3% of the CPU time and by more than the scatter of samples.
func collectorDiffers(old, new running) bool {
	d := abs(new.Collector - old.Collector)
	var variance float64
	for _, r := range []running{old, new} {
		if r.Samples > 0 {
			p := (r.Collector*float64(r.Samples) + 1) / (float64(r.Samples) + 2)
			variance += p * (1 - p) / float64(r.Samples)
		}
	}
	return d >= collectorLimit && d > scatterLimit*math.Sqrt(variance)
}

// inCollector reports whether the collector works in a sample.
func inCollector(s *profile.Sample) bool {
	for frame := range instrument.Frames(s) {
		if slices.ContainsFunc(collectorRoots, func(root string) bool { return strings.HasPrefix(frame.Function.Name, root) }) {
			return true
		}
	}
	return false
}

// Limits below which a difference while running is not a cause.
const (
	collectorLimit = 0.03 // of the CPU time
	timeLimit      = 0.05 // of the time of an operation
	scatterLimit   = 3.0  // standard deviations
	// allocationLimit is a share of the allocations of an operation.
	allocationLimit = 0.1
)

// runningCauses finds causes in the resources of two running variants.
func runningCauses(old, new running) []Cause {
	if !collectorDiffers(old, new) || allocates(old, new) {
		return nil
	}
	return []Cause{{Kind: Collector, OldAmount: old.Collector, NewAmount: new.Collector}}
}

// allocates reports whether an operation allocates more and the collector works
// more, or both less. The allocations are then the cause.
func allocates(old, new running) bool {
	differs := func(a, b float64) bool {
		return (b > a) == (new.Collector > old.Collector) && abs(b-a) > allocationLimit*max(a, b)
	}
	return differs(old.Bytes, new.Bytes) || differs(old.Objects, new.Objects)
}

// allocatingKinds are the kinds of causes that allocate.
var allocatingKinds = []Kind{Allocation, Growth, Concat, Map, Format, Reflection, PoolLost, Compile}

// addSites adds the change in allocations per operation to allocation causes.
func addSites(causes []Cause, sites []allocationSite) {
	for i := range causes {
		c := &causes[i]
		if !slices.Contains(allocatingKinds, c.Kind) {
			continue
		}
		for _, s := range sites {
			if s.Function == c.Function && s.Changed() {
				c.Bytes, c.Objects = s.NewBytes-s.OldBytes, s.NewObjects-s.OldObjects
			}
		}
	}
}
