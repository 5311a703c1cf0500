package explain

import (
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TestMeasuredAllocations: allocations lead the causes of a row if they changed in
// the direction of its verdict.
func TestMeasuredAllocations(t *testing.T) {
	key := result.Key{Pkg: "p", Name: "Work"}
	row := func(unit string, v result.Verdict, old, new float64) result.BenchmarkComparison {
		return result.BenchmarkComparison{Key: key, NewVariant: 1, Unit: unit, Verdict: v, Old: result.Estimate{Center: old}, New: result.Estimate{Center: new}}
	}
	for _, test := range []struct {
		rows []result.BenchmarkComparison
		want string
	}{
		{[]result.BenchmarkComparison{row("B/op", result.Slower, 16, 48), row("allocs/op", result.Slower, 8, 16)}, "16 allocs/op, before 8"},
		{[]result.BenchmarkComparison{row("B/op", result.Slower, 16, 48), row("allocs/op", result.Same, 8, 8)}, "48 B/op, before 16 B"},
		{[]result.BenchmarkComparison{row("allocs/op", result.Faster, 16, 8)}, ""},
	} {
		if got := measuredAllocations(test.rows, row("sec/op", result.Slower, 1, 2)); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
