package judge

import "github.com/tarebench/tare/cmd/tare/internal/result"

// BlockRatios are ln(new/old) of the good blocks of a benchmark in one unit,
// in the order in which they ran, with the collector's part where the unit is a
// time. They are nil where the unit is missing on a
// side, or a value of it is zero or negative.
func BlockRatios(b result.Benchmark, unit string, old, new int) []float64 {
	good := goodBlocks(b.Blocks, old, new)
	for _, u := range unitsOf(good, old, new) {
		if u.name != unit {
			continue
		}
		blocks := u.blocks(good, old, new)
		both := read(blocks, u.from, old, new)
		if !both[0].present() || !both[1].present() {
			return nil
		}
		p := pair(both[0], both[1], layouts(blocks, b.LinkSets, old, new))
		if !p.relative {
			return nil
		}
		if scale, ok := timeScale(u, blocks, old, new); ok {
			if a, _ := p.collect(blocks, old, new, processorsOf(b)); a != nil {
				scale.reverse(p.typical)
			}
		}
		return p.typical
	}
	return nil
}
