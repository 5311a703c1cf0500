package compare

import (
	"math"
	"slices"

	"github.com/tarebench/tare/internal/result"
)

// geoMean is the geometric mean of the rows of a unit whose sides are positive.
// The interval is that of the mean of the logarithms when the rows' own
// intervals err independently: half-widths combine as the root of their squares
// over the count. Where a row has no interval, the mean has none.
func geoMean(unit string, rows []*result.BenchmarkComparison) (result.GeoMean, bool) {
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

// geoMeans are the geometric means of each unit and new variant.
func geoMeans(rows []result.BenchmarkComparison) []result.GeoMean {
	var out []result.GeoMean
	for _, u := range unitsIn(rows) {
		for _, v := range newVariants(rows) {
			var some []*result.BenchmarkComparison
			for i := range rows {
				if rows[i].Unit == u && rows[i].NewVariant == v {
					some = append(some, &rows[i])
				}
			}
			if g, ok := geoMean(u, some); ok {
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

// geoMeans are the geometric means of the table's columns against their
// baselines.
func (t *Table) geoMeans(config map[string]string) []result.GeoMean {
	scope := make(map[string]string, len(config)+1)
	for k, v := range config {
		scope[k] = v
	}
	for _, s := range t.Config {
		if s.Key == "pkg" && s.Value != "" {
			scope["pkg"] = s.Value
		}
	}
	var out []result.GeoMean
	for i, column := range t.Columns {
		var rows []*result.BenchmarkComparison
		for _, row := range t.Rows {
			if c := row.Cells[i]; c != nil && c.Against != nil {
				rows = append(rows, c.Against)
			}
		}
		if g, ok := geoMean(t.Unit, rows); ok {
			g.NewVariant, g.Config = column, scope
			out = append(out, g)
		}
	}
	return out
}

// summarize gives each column its geometric mean.
func (t *Table) summarize() {
	t.Summary = make([]ColumnSummary, len(t.Columns))
	for i := range t.Columns {
		s := ColumnSummary{}
		var centers, ratios float64
		for _, row := range t.Rows {
			c := row.Cells[i]
			if c == nil {
				continue
			}
			s.Rows++
			centers += math.Log(c.Estimate.Center)
			if c.Base != nil {
				s.Paired++
				if a, b := c.Base.Estimate.Center, c.Estimate.Center; a != b {
					ratios += math.Log(b / a)
				}
			}
		}
		s.Center, s.Ratio = math.NaN(), math.NaN()
		if v := math.Exp(centers / float64(s.Rows)); s.Rows > 0 && v > 0 {
			s.Center = v
		}
		if v := math.Exp(ratios / float64(s.Paired)); s.Paired > 0 && v > 0 && !math.IsInf(v, 0) {
			s.Ratio = v
		}
		t.Summary[i] = s
	}
}
