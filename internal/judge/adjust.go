package judge

import (
	"slices"

	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/stats"
)

// Adjust fills PBH and PHolm over all rows of a unit that have a p-value: a
// table asks as many questions as it has benchmarks, and each unit is a table.
// It returns the number of such rows by unit.
func Adjust(rows []result.BenchmarkComparison) map[string]int {
	family := make(map[string]int)
	for _, u := range unitsIn(rows) {
		var p []float64
		var at []int
		for i, r := range rows {
			if r.Unit == u && r.P != nil {
				p, at = append(p, *r.P), append(at, i)
			}
		}
		bh, holm := stats.BenjaminiHochberg(p), stats.Holm(p)
		for k, i := range at {
			rows[i].PBH, rows[i].PHolm = &bh[k], &holm[k]
		}
		family[u] = len(p)
	}
	return family
}

// unitsIn lists the units of rows in the order they first appear.
func unitsIn(rows []result.BenchmarkComparison) []string {
	var units []string
	for _, r := range rows {
		if !slices.Contains(units, r.Unit) {
			units = append(units, r.Unit)
		}
	}
	return units
}
