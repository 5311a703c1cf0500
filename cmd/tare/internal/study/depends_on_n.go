package study

import (
	"maps"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// A process that counts makes short and long calls. A metric that is
// proportional to their length in every process is a sum that nobody divided,
// and bytes per second are if b.SetBytes has the bytes of all operations. The
// bounds are wide, since such a metric grows as the calls do, by far more.

const longer = 8

type scaled struct{ short, long result.Slice }

// noteMetrics keeps the metrics of a variant that are proportional to the length
// of the calls of every process so far.
func (c *counts) noteMetrics(v int, calls []result.Slice) {
	grew := make(map[string]scaled)
	short := calls[max(0, slices.IndexFunc(calls, func(s result.Slice) bool { return s.N >= 10 }))]
	long := calls[len(calls)-1]
	ratio := float64(long.N) / float64(short.N)
	if ratio < longer {
		return
	}
	for unit := range long.Metrics {
		if x, y := perCall(short, unit), perCall(long, unit); x > 0 && y/x > ratio/2 && y/x < ratio*2 {
			grew[unit] = scaled{short, long}
		}
	}
	if c.scaling == nil {
		c.scaling = make(map[int]map[string]scaled)
	}
	if before, ok := c.scaling[v]; ok {
		maps.DeleteFunc(grew, func(unit string, _ scaled) bool { _, ok := before[unit]; return !ok })
	}
	c.scaling[v] = grew
}

// perCall is a metric of a call, or the bytes of an operation instead of its
// rate, whose time has noise.
func perCall(s result.Slice, unit string) float64 {
	if unit == "B/s" {
		return s.Metrics[unit] * s.Seconds()
	}
	return s.Metrics[unit]
}

func dependsOnN(b *bench, v int) (found []finding.Finding) {
	for _, unit := range slices.Sorted(maps.Keys(b.counted.scaling[v])) {
		s := b.counted.scaling[v][unit]
		found = append(found, catalog.DependsOnN.Of(b.Name, finding.Text("unit", unit),
			finding.Quantity("first", s.short.Metrics[unit], unit), finding.Count("n", s.short.N, "iteration"),
			finding.Quantity("later", s.long.Metrics[unit], unit), finding.Count("more", s.long.N, "")))
	}
	return found
}
