package judge

import "github.com/tarebench/tare/cmd/tare/internal/result"

// BlockRatios returns ln(new/old) of the good blocks of a benchmark in one unit,
// in the order in which they ran. A time includes the collector's part. It is
// nil if a variant lacks the unit, or if a value is zero or negative.
func BlockRatios(b result.Benchmark, unit string, old, new int) []float64 {
	e, ok := evidenceOf(result.Study{}, b, unit, old, new)
	if !ok || !e.relative {
		return nil
	}
	return e.typical
}
