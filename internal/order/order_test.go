package order

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Few different values, as a clock shows, or any.
		element := rapid.OneOf(rapid.Map(rapid.IntRange(-3, 3), func(i int) float64 { return float64(i) }), rapid.Float64())
		got := rapid.SliceOfN(element, 0, 300).Draw(t, "values")
		want := slices.Sorted(slices.Values(got))
		Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}

func TestSummary(t *testing.T) {
	for _, test := range []struct {
		values              []float64
		least, median, most float64
	}{
		{[]float64{7}, 7, 7, 7},
		{[]float64{30, 31, 29, 30, 30, 5000, 30, 31, 30, 30, 4000, 30}, 29, 30, 4000},
		{[]float64{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, 0, 5, 9},
		{[]float64{math.Inf(1), -1}, -1, math.Inf(1), math.Inf(1)},
	} {
		least, median, most := Summary(test.values)
		if least != test.least || median != test.median || most != test.most {
			t.Errorf("%v, %v, %v, want %+v", least, median, most, test)
		}
	}
}

// As many numbers as a calibration has, in the worst order for short gaps.
func BenchmarkSort(b *testing.B) {
	values := make([]float64, 20_000)
	for b.Loop() {
		for i := range values {
			values[i] = float64((len(values) - i) * 7919 % 4001)
		}
		Sort(values)
	}
}
