package judge

import (
	"math"
	"slices"

	"github.com/tarebench/tare/internal/result"
)

// GeoMean is the geometric mean of the rows of a unit whose sides are positive.
// The interval is that of the mean of the logarithms when the rows' own
// intervals err independently: half-widths combine as the root of their squares
// over the count. Where a row has no interval, the mean has none.
func GeoMean(unit string, rows []*result.BenchmarkComparison) (result.GeoMean, bool) {
	g := result.GeoMean{Unit: unit}
	square := func(x float64) float64 { return x * x }
	var old, new, ratio, below, above float64
	for _, r := range rows {
		if !(r.Old.Center > 0 && r.New.Center > 0 && r.Change.Ratio > 0) {
			continue
		}
		g.N++
		old += math.Log(r.Old.Center)
		new += math.Log(r.New.Center)
		ratio += math.Log(r.Change.Ratio)
		below += square(math.Log(r.Change.Ratio / r.Change.Lo))
		above += square(math.Log(r.Change.Hi / r.Change.Ratio))
	}
	if g.N == 0 {
		return g, false
	}
	n := float64(g.N)
	g.Old, g.New = math.Exp(old/n), math.Exp(new/n)
	g.Change = result.Change{
		Ratio: math.Exp(ratio / n),
		Lo:    math.Exp((ratio - math.Sqrt(below)) / n),
		Hi:    math.Exp((ratio + math.Sqrt(above)) / n),
	}
	return g, true
}

// GeoMeans are the geometric means of each unit and new variant.
func GeoMeans(rows []result.BenchmarkComparison) []result.GeoMean {
	var out []result.GeoMean
	for _, u := range unitsIn(rows) {
		for _, v := range newVariants(rows) {
			var some []*result.BenchmarkComparison
			for i := range rows {
				if rows[i].Unit == u && rows[i].NewVariant == v {
					some = append(some, &rows[i])
				}
			}
			if g, ok := GeoMean(u, some); ok {
				g.NewVariant = v
				out = append(out, g)
			}
		}
	}
	return out
}

func newVariants(rows []result.BenchmarkComparison) []int {
	var variants []int
	for _, r := range rows {
		if !slices.Contains(variants, r.NewVariant) {
			variants = append(variants, r.NewVariant)
		}
	}
	slices.Sort(variants)
	return variants
}
