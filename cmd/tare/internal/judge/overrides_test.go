package judge

import (
	"math"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TestOverrides: one operation is a batch, and the benchmark reports the time,
// the allocations and the bytes of an element; the batches of the new side are
// four times as large.
func TestOverrides(t *testing.T) {
	elements := []float64{1000, 4000}
	rec := simulated(12, 9, math.Log(4*0.8), 0.01, 0, 1, func(_, _, v int, s *result.Slice) {
		s.Mallocs, s.Bytes = 3000, 99_000
		s.Metrics = map[string]float64{
			"sec/op":    s.Seconds() / elements[v],
			"allocs/op": 0,
			"B/op":      float64(7 * v),
		}
	})
	rows := judgeOf(rec).Rows
	if r := rowOf(t, rows, "sec/op"); math.Abs(r.Change.Ratio-0.8) > 0.01 || r.Verdict != result.Faster || math.Abs(r.Old.Center-1e-9) > 1e-10 {
		t.Errorf("time of an element: %+v", r)
	}
	if r := rowOf(t, rows, "allocs/op"); r.Old.Center != 0 || r.New.Center != 0 {
		t.Errorf("allocations of an element: %+v", r)
	}
	if r := rowOf(t, rows, "B/op"); r.Old.Center != 0 || r.New.Center != 7 {
		t.Errorf("bytes of an element: %+v", r)
	}
	for _, r := range Measure(rec.Study, rec.Benchmarks[0]) {
		if r.Unit == "sec/op" && (math.Abs(r.New.Center-1e-9) > 1e-10 || r.Raw != r.New.Center) {
			t.Errorf("one variant: %+v", r)
		}
	}
	// One side reports, the other is measured.
	one := simulated(12, 9, 0, 0.01, 0, 1, func(_, _, v int, s *result.Slice) {
		if v == 1 {
			s.Metrics = map[string]float64{"sec/op": 5e-7}
		}
	})
	if r := rowOf(t, judgeOf(one).Rows, "sec/op"); math.Abs(r.Change.Ratio-0.5) > 0.01 {
		t.Errorf("one side reports half: %+v", r)
	}
	// 0 ns/op hides the time, and nothing else.
	hidden := simulated(12, 9, 0, 0.01, 0, 1, func(_, _, _ int, s *result.Slice) {
		s.Metrics = map[string]float64{"sec/op": 0, "hits/op": 2}
	})
	rows = judgeOf(hidden).Rows
	for _, r := range rows {
		if r.Unit == "sec/op" {
			t.Errorf("the time shows: %+v", r)
		}
	}
	rowOf(t, rows, "hits/op")
}
