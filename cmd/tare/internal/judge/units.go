package judge

import (
	"maps"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// A namedReading is a unit of the slices.
type namedReading struct {
	name   string
	from   reading
	source result.Source
	// overridden is set if the benchmark itself reports the measured unit.
	overridden bool
}

// blocks are the blocks that have the unit, each with the rounds that have it.
func (q namedReading) blocks(all []block, variants ...int) []block {
	switch q.source {
	case result.Calls:
		return counted(all, variants...)
	case result.After:
		return afterTimed(q.from, all, variants...)
	}
	return all
}

// unitsOf lists the units of the slices: time, allocations, then the others by
// name. A metric that rounds after the timed ones have is read from those.
func unitsOf(blocks []block, variants ...int) []namedReading {
	units := []namedReading{{name: "sec/op", from: seconds}, {name: "B/op", from: bytesPerOp, source: result.Calls}, {name: "allocs/op", from: allocsPerOp, source: result.Calls}}
	names := make(map[string]result.Source)
	for _, b := range blocks {
		for source, rounds := range map[result.Source][]result.Round{result.Slices: b.rounds, result.After: b.counting} {
			for _, r := range rounds {
				for _, v := range variants {
					for name := range r.Slices[v].Metrics {
						if source == result.Slices || !result.OnlyShare(name) {
							names[name] = max(names[name], source)
						}
					}
				}
			}
		}
	}
	for i, u := range units {
		if _, reported := names[u.name]; reported {
			units[i] = overridden(u, blocks, variants)
			delete(names, u.name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		units = append(units, namedReading{name: name, from: metric(name), source: names[name]})
	}
	return units
}

// bytesOf is the number of bytes that an operation of a variant processes, or 0.
func bytesOf(blocks []block, variant int) float64 {
	var per []float64
	for s := range slicesOf(blocks, variant) {
		if s.N > 0 {
			per = append(per, float64(s.SetBytes))
		}
	}
	if len(per) == 0 {
		return 0
	}
	return stats.Median(per)
}

// overridden replaces a measured value by the benchmark's own value in the same
// unit. Package testing documents this for "ns/op", "B/op" and "allocs/op". 0
// ns/op hides the time. If only one variant reports the unit, the other's is
// measured, as plain processes would show them.
func overridden(q namedReading, blocks []block, variants []int) namedReading {
	reported, measured := metric(q.name), q.from
	everywhere := true
	for _, v := range variants {
		everywhere = everywhere && slices.ContainsFunc(blocks, func(b block) bool {
			return slices.ContainsFunc(b.rounds, func(r result.Round) bool { _, ok := reported(r.Slices[v]); return ok })
		})
	}
	from := reported
	if everywhere {
		// The metrics of a b.Loop come with its last slice only.
		q.source = result.Slices
	} else {
		from = func(s result.Slice) (float64, bool) {
			if v, ok := reported(s); ok {
				return v, true
			}
			return measured(s)
		}
	}
	q.overridden = true
	if q.from = from; q.name == "sec/op" {
		q.from = func(s result.Slice) (float64, bool) {
			v, ok := from(s)
			return v, ok && v != 0
		}
	}
	return q
}
