package judge

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// runOf summarizes the first variant of a recording.
func runOf(rec *result.Recording) result.Comparison {
	one := *rec
	one.Study.Variants = rec.Study.Variants[:1]
	return Compare(&one)
}

func measurement(t *testing.T, run result.Comparison, name, unit string) result.BenchmarkComparison {
	t.Helper()
	for _, m := range run.Benchmarks {
		if m.Name == name && m.Unit == unit {
			return m
		}
	}
	t.Fatalf("no %s of %s in %+v", unit, name, run.Benchmarks)
	return result.BenchmarkComparison{}
}

func TestRun(t *testing.T) {
	rec := simulated(12, 9, 0, 0.01, 0, 3, func(b, r, v int, s *result.Slice) {
		s.Raw += 1e5 // a tenth is the clock's own
		s.OverheadLo, s.OverheadHi = 0.9e5, 1.1e5
		s.Mallocs = 5 * uint64(s.N) / 2 // two and a half per op, exactly
		s.Bytes = uint64(s.N)*64 + 500 + 100*uint64(b)
		s.Metrics = map[string]float64{"B/s": 1e9}
	})
	rec.Study.Kind = "run"
	run := runOf(rec)
	m := measurement(t, run, "X", "sec/op")
	if math.Abs(m.New.Center-1e-6) > 2e-8 || !(m.New.Lo < m.New.Center && m.New.Center < m.New.Hi) || m.New.N != 12 {
		t.Errorf("value %+v", m.New)
	}
	if math.Abs(m.Raw-m.New.Center-1e-7) > 1e-9 || math.Abs(m.Overhead.Lo-0.9e-7) > 1e-15 || math.Abs(m.Overhead.Hi-1.1e-7) > 1e-15 {
		t.Errorf("raw %v, overhead %+v beside %v", m.Raw, m.Overhead, m.New.Center)
	}
	q := m.Quantiles
	for _, pair := range [][2]string{{"min", "p25"}, {"p25", "p50"}, {"p50", "p75"}, {"p75", "p90"}, {"p90", "max"}} {
		if !(q[pair[0]] < q[pair[1]]) {
			t.Errorf("quantiles %v", q)
		}
	}
	if m.Blocks != 12 || m.Rounds != 12*8 || m.Seconds != 3 || m.Exact || m.Band != "good" {
		t.Errorf("%+v", m)
	}
	if a := measurement(t, run, "X", "allocs/op"); !a.Exact || a.New.Center != 2.5 {
		t.Errorf("allocations %+v", a)
	}
	if b := measurement(t, run, "X", "B/op"); b.Exact || math.Abs(b.New.Center-65.05) > 1e-2 {
		t.Errorf("bytes %+v", b)
	}
	if r := measurement(t, run, "X", "B/s"); r.New.Center != 1e9 || r.Raw != 1e9 {
		t.Errorf("rate %+v", r)
	}
	if _, err := json.Marshal(run); err != nil {
		t.Error(err)
	}
}

func TestRunBands(t *testing.T) {
	for _, test := range []struct {
		spread float64
		want   string
	}{{0.001, "good"}, {0.02, "good"}, {0.021, "fair"}, {0.05, "fair"}, {0.06, "unstable"}, {1, "unstable"}} {
		if got := Band(test.spread); got != test.want {
			t.Errorf("%v: %s, want %s", test.spread, got, test.want)
		}
	}
	rec := simulated(10, 5, 0, 0.3, 0, 3)
	share := 0.3
	beside := simulated(12, 9, 0, 0.01, 0, 3)
	beside.Benchmarks[0].Blocks[3].Others = &share
	if m := measurement(t, runOf(beside), "X", "sec/op"); m.Band != "busy" || m.Spread > 0.02 {
		t.Errorf("beside other programs %q, spread %g", m.Band, m.Spread)
	}
	if m := measurement(t, runOf(rec), "X", "sec/op"); m.Band != "unstable" || m.Spread < 0.05 {
		t.Errorf("noisy: %+v", m)
	}
}

func TestRunSaysWhatItCannot(t *testing.T) {
	rec := together(
		simulated(3, 9, 0, 0.01, 0, 1),
		simulated(0, 9, 0, 0, 0, 2),
		simulated(0, 9, 0, 0, 0, 3),
		simulated(0, 9, 0, 0, 0, 4),
		simulated(8, 9, 0, 0.001, 0, 5),
	)
	for range LeastPairs { // a long run takes twice as long
		rec.Benchmarks[4].Blocks[0].Long = append(rec.Benchmarks[4].Blocks[0].Long, result.Round{Slices: []result.Slice{{N: 100_000, Raw: 2e8}}})
	}
	rec.Stops = []result.Stop{{Benchmark: 1, Reason: "failed", Message: "boom"}, {Benchmark: 2, Reason: "skipped", Message: "not here"}}
	run := runOf(rec)
	few := measurement(t, run, "A", "sec/op")
	if !math.IsNaN(few.New.Lo) || !strings.Contains(ids(few.Findings), "too-few-blocks") || few.Spread == 0 {
		t.Errorf("three blocks: %+v", few)
	}
	if m := measurement(t, run, "B", "sec/op"); m.Verdict != result.Failed || !strings.Contains(m.Findings[0].Message, "boom") {
		t.Errorf("failed: %+v", m)
	}
	if m := measurement(t, run, "C", "sec/op"); ids(m.Findings) != "skipped" {
		t.Errorf("skipped: %+v", m)
	}
	if m := measurement(t, run, "D", "sec/op"); ids(m.Findings) != "too-few-blocks" {
		t.Errorf("nothing: %+v", m)
	}
	if m := measurement(t, run, "E", "sec/op"); !strings.Contains(ids(m.Findings), "long-runs-differ") || m.New.Center > 1.01e-6 {
		t.Errorf("rare costs: %+v", m)
	}
	if _, err := json.Marshal(run); err != nil {
		t.Error(err)
	}
}

// TestOneBlockIsNotExact: a rate is as noisy as the time it is made of, and the
// typical slice of a single block agrees with itself. What allocates may do so
// otherwise in the next process, but equal counts show no difference.
func TestOneBlockIsNotExact(t *testing.T) {
	rec := simulated(1, 9, 0.1, 0.01, 0, 3, func(b, r, v int, s *result.Slice) {
		s.Mallocs = 2 * uint64(s.N)
		s.Metrics = map[string]float64{"steps/sec": 1e9 * float64(s.N) / s.Raw}
	})
	for _, row := range Compare(rec).Benchmarks {
		if count := result.IsCount(row.Unit); row.Exact != count || (row.Verdict == result.Same) != count {
			t.Errorf("%s: exact %v, %s", row.Unit, row.Exact, row.Verdict)
		}
	}
	rec.Study.Kind = "run"
	run := runOf(rec)
	for _, unit := range []string{"allocs/op", "steps/sec"} {
		if m := measurement(t, run, "X", unit); m.Exact {
			t.Errorf("run, %s: exact %v", unit, m.Exact)
		}
	}
}

// TestLevelIsOfTheDefaultOrder: blocks with other function orders do not change
// the level, and their range stands next to it.
func TestLevelIsOfTheDefaultOrder(t *testing.T) {
	alone := simulated(8, 9, 0, 0.01, 0, 3)
	beside := simulated(12, 9, 0, 0.01, 0, 3, func(block, _, _ int, s *result.Slice) {
		if block >= 8 {
			s.Raw *= float64(block)
		}
	})
	for _, rec := range []*result.Recording{alone, beside} {
		for k := range rec.Benchmarks[0].Blocks {
			rec.Benchmarks[0].Blocks[k].FuncOrders = []uint64{uint64(k / 8)}
		}
	}
	want, got := measurement(t, runOf(alone), "X", "sec/op"), measurement(t, runOf(beside), "X", "sec/op")
	if got.New != want.New || got.Blocks != 8 || want.OtherOrders != nil {
		t.Errorf("level %+v of %d blocks beside other orders, %+v alone", got.New, got.Blocks, want.New)
	}
	if o := got.OtherOrders; o == nil || math.Abs(o.Lo/8e-6-1) > 0.02 || math.Abs(o.Hi/11e-6-1) > 0.02 {
		t.Errorf("other orders %+v, want 8 to 11 µs", o)
	}
}

// TestOtherOrdersHaveTheCollector: if the level has the collector's cost, so has the
// range of the other function orders.
func TestOtherOrdersHaveTheCollector(t *testing.T) {
	rec := simulated(12, 9, 0, 0.01, 0, 3, func(_, _, _ int, s *result.Slice) {
		s.Collected, s.GCs, s.Settle = true, 1, 1e6 // as much again, after the slice
	})
	for k := range rec.Benchmarks[0].Blocks {
		rec.Benchmarks[0].Blocks[k].FuncOrders = []uint64{uint64(k / 6)}
	}
	got := measurement(t, runOf(rec), "X", "sec/op")
	if o := got.OtherOrders; o == nil || math.Abs(o.Lo/got.New.Center-1) > 0.02 || math.Abs(o.Hi/got.New.Center-1) > 0.02 {
		t.Errorf("other orders %+v, want about %v", o, got.New.Center)
	}
}
