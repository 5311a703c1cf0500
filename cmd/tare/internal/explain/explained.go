package explain

import (
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// Explanation explains the difference of a benchmark between the first variant
// and another.
type Explanation struct {
	result.Key
	// NewVariant is the other variant. Change and Verdict come from the recording;
	// unknown and empty without one.
	NewVariant int            `json:"new_variant"`
	Change     result.Change  `json:"change"`
	Verdict    result.Verdict `json:"verdict,omitempty"`
	// Causes are suspected, the most likely first, unless they have a proof.
	Causes []Cause `json:"causes"`
	// Files are the changed files that were restored, one at a time, each with the
	// part of the change that it accounts for.
	Files []Proof `json:"files,omitempty"`
	// OldRunning and NewRunning describe the variants while they run; nil if
	// unknown. Sites are the functions that allocate.
	OldRunning *Running `json:"old_running,omitempty"`
	NewRunning *Running `json:"new_running,omitempty"`
	Sites      []Site   `json:"sites,omitempty"`
	// Counters are events of the CPU and the kernel that a study counted.
	Counters []Counter `json:"counters,omitempty"`
	// OldRuntime and NewRuntime are the runtime counts of a study; nil without one.
	OldRuntime *result.RuntimeCounts `json:"-"`
	NewRuntime *result.RuntimeCounts `json:"-"`
	// Orders describes how much the change differs between function orders, if the
	// code is the same; nil if unknown.
	Orders *Orders `json:"orders,omitempty"`
	// Notes list the causes that could not be tried, with the reason.
	Notes []string `json:"notes,omitempty"`
}

// Explained is the result of tare explain.
type Explained struct {
	Schema     int              `json:"schema"`
	Variants   []result.Variant `json:"variants"`
	Benchmarks []Explanation    `json:"benchmarks"`
	// Folder is the directory of the recording with the changes.
	Folder string `json:"folder,omitempty"`
}

// Counter is the number of events in an operation.
type Counter struct {
	Unit string  `json:"unit"` // "branch-misses/op"
	Old  float64 `json:"old"`
	New  float64 `json:"new"`
}

// events are the units of tare compare -units time,counters and -units time,instructions.
var events = []string{
	"cycles/op", "instructions/op", "branches/op", "branch-misses/op", "cache-misses/op", "estimated-cycles/op",
	"context-switches/op", "page-faults/op", "cpu-migrations/op",
}

// CountersOf picks the counts of a benchmark from the rows of a comparison.
func CountersOf(rows []result.BenchmarkComparison, key result.Key, variant int) (all []Counter) {
	for _, row := range rows {
		if row.Key == key && row.NewVariant == variant && slices.Contains(events, row.Unit) && row.Verdict != result.Failed && row.Verdict != result.Missing {
			all = append(all, Counter{Unit: row.Unit, Old: row.Old.Center, New: row.New.Center})
		}
	}
	return all
}
