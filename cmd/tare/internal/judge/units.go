package judge

import (
	"maps"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

type namedReading struct {
	name string
	from reading
	// where picks the blocks that have the quantity, each with the rounds that
	// have it. It is nil for all blocks and their timed rounds.
	where func(all []block, variants ...int) []block
	// overridden is set if the benchmark itself reports the measured unit.
	overridden bool
}

func (q namedReading) blocks(all []block, variants ...int) []block {
	if q.where != nil {
		return q.where(all, variants...)
	}
	return all
}

// unitsOf lists the units of the slices: time, allocations, then the reported
// and the counted units by name. Units in counting rounds are read from these
// rounds.
func unitsOf(blocks []block, variants ...int) []namedReading {
	units := []namedReading{{name: "sec/op", from: seconds}, {name: "B/op", from: bytesPerOp, where: counted}, {name: "allocs/op", from: allocsPerOp, where: counted}}
	names := make(map[string]bool) // true if counting rounds have it
	for _, b := range blocks {
		for counting, rounds := range map[bool][]result.Round{false: b.rounds, true: b.counting} {
			for _, r := range rounds {
				for _, v := range variants {
					for name := range r.Slices[v].Metrics {
						if !counting || !result.OnlyShare(name) {
							names[name] = names[name] || counting
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
		u := namedReading{name: name, from: metric(name)}
		if names[name] {
			u.where = countedBlocks(u.from)
		}
		units = append(units, u)
	}
	return units
}

// bytesOf is the number of bytes that an operation of a variant processes, or 0.
func bytesOf(blocks []block, variant int) float64 {
	var per []float64
	for _, b := range blocks {
		for _, r := range b.rounds {
			if s := r.Slices[variant]; s.N > 0 {
				per = append(per, float64(s.SetBytes))
			}
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
		q.where = nil
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
