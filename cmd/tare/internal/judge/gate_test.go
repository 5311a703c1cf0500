package judge

import (
	"math"
	"slices"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TestGateReadsAllocations: allocations that are exactly more fail the gate, as
// do those that are proven to be more; those that vary do not. Limits replace
// this, unit by unit.
func TestGateReadsAllocations(t *testing.T) {
	time := func(ratio float64) result.BenchmarkComparison {
		return result.BenchmarkComparison{Key: result.Key{Name: "X"}, Unit: "sec/op", Verdict: result.Undecided, Blocks: 8,
			Old: result.Estimate{Center: 1}, Change: result.Change{Ratio: ratio, Lo: ratio - 0.005, Hi: ratio + 0.005},
			Joint: &result.Interval{Lo: ratio - 0.006, Hi: ratio + 0.006}}
	}
	exact := func(unit string, old, new float64) result.BenchmarkComparison {
		r := result.BenchmarkComparison{Key: result.Key{Name: "X"}, Unit: unit, Blocks: 8}
		Exact(&r, old, new, 8, 8)
		return r
	}
	varies := func(p, lo, hi float64) result.BenchmarkComparison {
		r := time((lo + hi) / 2)
		r.Unit, r.P, r.Change.Lo, r.Change.Hi = "B/op", &p, lo, hi
		r.Joint = &result.Interval{Lo: lo, Hi: hi}
		return r
	}
	missing := exact("allocs/op", 3, 3)
	missing.Verdict, missing.Change, missing.New = result.Missing, UnknownChange(), Unknown()
	sameCode := result.BenchmarkComparison{Key: result.Key{Name: "X"}, Unit: "sec/op", Verdict: result.Same, Reason: result.ReasonSameCode, Old: Unknown()}
	const byDefault = result.DefaultLimit
	for _, test := range []struct {
		name   string
		limits result.Limits
		row    result.BenchmarkComparison
		want   Gate
		unread []string
	}{
		{"doubled", nil, exact("allocs/op", 1, 2), Regression, nil},
		{"from none", nil, exact("allocs/op", 0, 1), Regression, nil},
		{"one in a thousand", nil, exact("allocs/op", 1000, 1001), Regression, nil},
		{"bytes", nil, exact("B/op", 16, 32), Regression, nil},
		{"the same", nil, exact("B/op", 16, 16), Pass, nil},
		{"fewer", nil, exact("allocs/op", 2, 1), Pass, nil},
		{"proven to be more", nil, varies(1e-6, 1.03, 1.05), Regression, nil},
		{"varies", nil, varies(0.4, 0.9, 1.2), Pass, nil},
		{"another unit", nil, exact("misses", 1, 2), Pass, nil},
		{"gone", nil, missing, Open, nil},

		{"time alone", result.Limits{"sec/op": byDefault}, exact("allocs/op", 1, 2), Pass, nil},
		{"within a limit", result.Limits{"sec/op": byDefault, "B/op": 0.01}, exact("B/op", 100, 101), Pass, nil},
		{"beyond a limit", result.Limits{"sec/op": byDefault, "B/op": 0.01}, exact("B/op", 100, 102), Regression, nil},
		{"varies beyond a limit", result.Limits{"B/op": 0.01}, varies(0.4, 0.9, 1.2), Open, nil},
		{"varies, and may not rise", result.Limits{"B/op": 0}, varies(0.4, 0.9, 1.2), Pass, nil},
		{"proven to rise", result.Limits{"B/op": 0}, varies(1e-6, 1.03, 1.05), Regression, nil},
		{"varies within a limit", result.Limits{"B/op": 0.25}, varies(0.4, 0.9, 1.2), Pass, nil},
		{"no limit for time", result.Limits{"allocs/op": 0}, exact("allocs/op", 1, 1), Pass, nil},
		{"a metric", result.Limits{"misses": byDefault}, exact("misses", 1, 2), Regression, nil},
		{"a unit that no row has", result.Limits{"hits": 0}, exact("misses", 1, 2), Open, []string{"hits"}},
	} {
		first := time(1)
		if len(test.limits) == 1 {
			first = time(1.5) // which nobody reads
			if test.name == "time alone" {
				first = time(1)
			}
		}
		c := result.Comparison{Delta: 0.02, Gate: test.limits, Benchmarks: []result.BenchmarkComparison{first, test.row}}
		Decide(c.Benchmarks, 0.05, c.Delta, c.Gate)
		if o := GateOf(&c); o.Gate != test.want || !slices.Equal(o.Unread, test.unread) {
			t.Errorf("%s: %s, unread %v, want %s, %v", test.name, o.Gate, o.Unread, test.want, test.unread)
		}
	}

	// A benchmark whose code is the same has no row of allocations, and passes.
	c := result.Comparison{Gate: result.Limits{"allocs/op": 0}, Benchmarks: []result.BenchmarkComparison{sameCode}}
	Decide(c.Benchmarks, 0.05, 0.02, c.Gate)
	if o := GateOf(&c); o.Gate != Pass || o.Unread != nil {
		t.Errorf("same code: %+v", o)
	}
	// One that failed does not, whatever is read.
	failed := sameCode
	failed.Verdict, failed.Reason, failed.Change = result.Failed, "", result.Change{Ratio: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
	c.Benchmarks = []result.BenchmarkComparison{failed}
	Decide(c.Benchmarks, 0.05, 0.02, c.Gate)
	if o := GateOf(&c); o.Gate != Open {
		t.Errorf("failed: %+v", o)
	}
}

// TestNothingWasTimed: a study of time whose blocks have counts alone does not pass.
func TestNothingWasTimed(t *testing.T) {
	rec := simulated(11, 13, 0, 0.003, 0.001, 5, func(_, _, _ int, s *result.Slice) { s.Mallocs = 3 })
	c := Compare(rec)
	if o := GateOf(&c); o.Gate != Pass {
		t.Fatalf("with times: %+v", o)
	}
	for i := range rec.Benchmarks[0].Blocks {
		k := &rec.Benchmarks[0].Blocks[i]
		k.Rounds, k.Counting = nil, k.Rounds
	}
	c = Compare(rec)
	if o := GateOf(&c); o.Gate != Open || len(o.Absent) != 1 {
		t.Errorf("without times: %+v", o)
	}
}
