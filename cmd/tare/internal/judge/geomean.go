package judge

import (
	"math"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// Blocks are, for each row of a table, the differences of its first blocks (or
// of its first pairs of runs) in the order of measurement. They are logarithms
// of new/old, equally many for every row. A row without any has nil.
type Blocks [][]float64

// GeoMean is the geometric mean of the rows of a unit whose values are positive
// in both variants.
//
// With blocks it is the Hodges–Lehmann center of g_k, the mean over rows of
// their differences in block k, with its signed-rank interval at 1 − alpha.
// Rows of one package share function orders and the machine, and g_k includes
// that. The first blocks, which every row has, do not depend on when a row
// stopped. Rows without blocks do not count. The mean of one row is its change.
//
// Without blocks it is the mean of the rows' changes and has no interval.
// Samples taken one after the other share the events in between, which their
// spread does not show.
func GeoMean(unit string, rows []*result.BenchmarkComparison, blocks Blocks, alpha float64) (result.GeoMean, bool) {
	g := result.GeoMean{Unit: unit, Change: UnknownChange()}
	var old, new, ratio float64
	var last *result.BenchmarkComparison
	var sums []float64
	for i, r := range rows {
		if !(r.Old.Center > 0 && r.New.Center > 0 && r.Change.Ratio > 0) {
			continue
		}
		if blocks != nil {
			if blocks[i] == nil {
				continue
			}
			if sums == nil {
				sums = make([]float64, len(blocks[i]))
			}
			for k, d := range blocks[i] {
				sums[k] += d
			}
		}
		g.N++
		old += math.Log(r.Old.Center)
		new += math.Log(r.New.Center)
		ratio += math.Log(r.Change.Ratio)
		last = r
	}
	n := float64(g.N)
	switch {
	case g.N == 0:
		return g, false
	case g.N == 1 && blocks != nil:
		g.Change = last.Change
	case blocks != nil:
		for k := range sums {
			sums[k] /= n
		}
		g.Change.Ratio = math.Exp(stats.Center(sums))
		if lo, hi, err := stats.CenterBounds(sums, alpha); err == nil {
			g.Change.Lo, g.Change.Hi = math.Exp(lo), math.Exp(hi)
		}
	default:
		g.Change.Ratio = math.Exp(ratio / n)
	}
	g.Old, g.New = math.Exp(old/n), math.Exp(new/n)
	if blocks != nil { // one row, one estimate
		g.New = g.Old * g.Change.Ratio
	}
	return g, true
}

func geoMeans(rows []result.BenchmarkComparison, blocks Blocks, alpha float64) []result.GeoMean {
	type key struct {
		unit    string
		variant int
	}
	type group struct {
		rows   []*result.BenchmarkComparison
		blocks Blocks
		known  bool
	}
	groups, first := make(map[key]*group), make(map[string]int)
	var keys []key
	for i := range rows {
		r := &rows[i]
		k := key{r.Unit, r.NewVariant}
		if _, ok := first[k.unit]; !ok {
			first[k.unit] = i
		}
		g := groups[k]
		if g == nil {
			g = new(group)
			groups[k], keys = g, append(keys, k)
		}
		g.rows, g.blocks, g.known = append(g.rows, r), append(g.blocks, blocks[i]), g.known || blocks[i] != nil
	}
	slices.SortStableFunc(keys, func(a, b key) int { return first[a.unit] - first[b.unit] })
	var out []result.GeoMean
	for _, k := range keys {
		g := groups[k]
		if !g.known {
			g.blocks = nil
		}
		if m, ok := GeoMean(k.unit, g.rows, g.blocks, alpha); ok {
			m.NewVariant = k.variant
			out = append(out, m)
		}
	}
	return out
}
