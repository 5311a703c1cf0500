package study

import (
	"maps"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// A process that counts makes pairs of short calls and of long ones. A metric that
// is proportional to their length in every process is a sum that nobody divided,
// bytes per second are if b.SetBytes has the bytes of all operations, and bytes per
// operation are if each copies what the operations before it left. A buffer, a
// slice or a map that is never emptied doubles now and then: few allocations, whose
// size is proportional to the number of operations. The bounds are wide, since all
// of these grow as the calls do, by far more.

const longer = 8

// largerEach is the mean size of what the longer call of a pair allocates more.
const largerEach = "bytes of an allocation"

// scaled is a value in a short call and in a long one.
type scaled struct {
	n, more      int64
	first, later float64
}

// noteGrowth keeps the values of a variant that are proportional to the length of
// the calls of every process so far.
func (c *counts) noteGrowth(v int, calls []result.Slice) {
	grew := make(map[string]scaled)
	last := len(calls) - 2
	begin := slices.IndexFunc(calls, func(s result.Slice) bool { return s.N >= 10 })
	if begin < 0 || begin > last || calls[last].N < longer*calls[begin].N {
		return
	}
	short, long := valuesOf(calls[begin:]), valuesOf(calls[last:])
	ratio := float64(calls[last].N) / float64(calls[begin].N)
	for unit, y := range long {
		if x := short[unit]; x > 0 && y/x > ratio/2 && y/x < ratio*2 {
			grew[unit] = scaled{calls[begin+1].N, calls[last+1].N, x, y}
		}
	}
	if _, copies := grew["B/op"]; copies {
		delete(grew, largerEach)
	}
	if c.scaling == nil {
		c.scaling = make(map[int]map[string]scaled)
	}
	if before, ok := c.scaling[v]; ok {
		maps.DeleteFunc(grew, func(unit string, _ scaled) bool { _, ok := before[unit]; return !ok })
	}
	c.scaling[v] = grew
}

// valuesOf are the metrics of the longer call of a pair, the bytes that an operation
// processes, and what the call allocates more.
func valuesOf(pair []result.Slice) map[string]float64 {
	all := make(map[string]float64)
	maps.Copy(all, pair[1].Metrics)
	if pair[1].SetBytes > 0 {
		all["B/s"] = float64(pair[1].SetBytes)
	}
	slope := slopeOf(pair)
	if slope[0] > 0 && slope[1] > 0 {
		all["B/op"], all[largerEach] = slope[1], slope[1]/slope[0]
	}
	return all
}

func dependsOnN(b *bench, v int) (found []finding.Finding) {
	for _, unit := range slices.Sorted(maps.Keys(b.counted.scaling[v])) {
		s := b.counted.scaling[v][unit]
		of := unit
		if unit == largerEach || unit == "B/s" {
			of = "B"
		}
		found = append(found, catalog.DependsOnN.Of(b.Name, finding.Text("unit", unit),
			finding.Quantity("first", s.first, of), finding.Count("n", s.n, "iteration"),
			finding.Quantity("later", s.later, of), finding.Count("more", s.more, "")))
	}
	return found
}
