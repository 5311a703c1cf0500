package benchtab

import (
	"math"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// geoMeans are the geometric means of the table's columns against their
// baselines.
func (t *Table) geoMeans(config map[string]string, alpha float64) []result.GeoMean {
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
		var pairs judge.Blocks
		for _, row := range t.Rows {
			if c := row.Cells[i]; c != nil && c.Against != nil {
				rows, pairs = append(rows, c.Against), append(pairs, c.pairDifferences())
			}
		}
		if g, ok := judge.GeoMean(t.Unit, rows, common(pairs), alpha); ok {
			g.NewVariant, g.Config = column, scope
			out = append(out, g)
		}
	}
	return out
}

// common cuts the pairs of all rows to the fewest. It returns nil if a row has
// none.
func common(pairs judge.Blocks) judge.Blocks {
	if len(pairs) == 0 {
		return nil
	}
	least := len(pairs[0])
	for _, p := range pairs {
		least = min(least, len(p))
	}
	if least == 0 {
		return nil
	}
	for i := range pairs {
		pairs[i] = pairs[i][:least]
	}
	return pairs
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
