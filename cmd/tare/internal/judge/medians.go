package judge

import (
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// Medians are the medians of the slices of every good block, in one unit.
type Medians struct {
	Unit   string
	Values []float64
}

// BlockMedians returns the medians of all units that every good block of a
// variant has.
func BlockMedians(b result.Benchmark, variant int) (out []Medians) {
	good := goodBlocks(b.Blocks, variant)
	for _, u := range unitsOf(good, variant) {
		values := read(u.blocks(good, variant), u.from, variant)[0]
		if values.present() && len(values) == len(good) {
			out = append(out, Medians{u.name, values.medians()})
		}
	}
	return out
}
