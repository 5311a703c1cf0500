package benchtab

import (
	"maps"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

func (t *Table) geoMeans(alpha float64) []result.GeoMean {
	scope := maps.Clone(t.Config)
	if t.Pkg != "" {
		scope["pkg"] = t.Pkg
	}
	var out []result.GeoMean
	for i, column := range t.Columns {
		var rows []*result.BenchmarkComparison
		var pairs judge.Blocks
		for _, row := range t.Rows {
			if c := row.Cells[i]; c != nil && c.Against != nil {
				rows, pairs = append(rows, c.Against), append(pairs, c.differences)
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
