package judge

import (
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// overridden replaces what is measured by what the benchmark reports in the
// same unit, as package testing documents it for "ns/op", "B/op" and
// "allocs/op"; 0 ns/op hides the time. Where one of the variants alone reports
// it, the other's is measured, as plain processes would show them.
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
		// Those of a b.Loop come with its last slice only.
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
