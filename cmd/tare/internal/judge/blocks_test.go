package judge

import (
	"math"
	"slices"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TestCountingRounds: the times of a counting round count for nothing, its
// allocations do; a block without known allocations is left out of them only.
func TestCountingRounds(t *testing.T) {
	slice := func(n int64, raw float64, counted bool, mallocs uint64) result.Slice {
		return result.Slice{N: n, Raw: raw, Counted: counted, Mallocs: mallocs, Bytes: 16 * mallocs}
	}
	var b result.Benchmark
	for k := range 10 {
		block := result.Block{Block: k}
		for range 3 {
			block.Rounds = append(block.Rounds, result.Round{Slices: []result.Slice{slice(1000, 1e6, false, 0)}})
		}
		if k < 2 {
			block.Counting = []result.Round{{Slices: []result.Slice{slice(999, 9e9, true, 333)}}}
		}
		b.Blocks = append(b.Blocks, block)
	}
	rows := Measure(result.Study{Plan: result.Plan{Alpha: 0.05}, Variants: []result.Variant{{}}}, b)
	if len(rows) != 3 {
		t.Fatalf("%d rows, want time, bytes and allocations", len(rows))
	}
	if rows[0].Unit != "sec/op" || rows[0].New.Center < 0.99e-6 || rows[0].New.Center > 1.01e-6 || rows[0].Blocks != 10 {
		t.Errorf("time: %+v", rows[0])
	}
	if a := rows[2]; a.Unit != "allocs/op" || a.Exact || a.New.Center != 333./999 || a.Blocks != 2 {
		t.Errorf("allocations: %+v", a)
	}
}

// TestCountersApart: counters of a benchmark that stops its timer come from
// counting rounds alone, also where a timed slice has some by mistake.
func TestCountersApart(t *testing.T) {
	slice := func(faults float64) result.Slice {
		s := result.Slice{N: 10, Raw: 1e6, Pauses: 10}
		if faults >= 0 {
			s.Metrics = map[string]float64{"page-faults/op": faults}
		}
		return s
	}
	var b result.Benchmark
	for k := range 9 {
		b.Blocks = append(b.Blocks, result.Block{
			Block:  k,
			Rounds: []result.Round{{Slices: []result.Slice{slice(999), slice(-1)}}},
			Counting: []result.Round{
				{Slices: []result.Slice{slice(3), slice(7)}},
				{Slices: []result.Slice{slice(3), slice(-1)}},
			},
		})
	}
	study := result.Study{Plan: result.Plan{Alpha: 0.05, Delta: 0.02, MaxBlocks: 9}, Variants: []result.Variant{{}, {}}}
	rows := Judge(study, b, 0, 1).Rows
	if len(rows) != 2 || rows[0].Unit != "sec/op" || rows[1].Unit != "page-faults/op" {
		t.Fatalf("rows %+v, want time and page faults", rows)
	}
	if r := rows[1]; r.Old.Center != 3 || r.New.Center != 7 || r.Blocks != 9 || r.Rounds != 9 {
		t.Errorf("page faults %+v, want 3 and 7 from the nine rounds that have both", r)
	}
}

// TestLook: blocks of one layout pair are averaged.
func TestLook(t *testing.T) {
	p := pairing{typical: []float64{1, 5, 3, 8}, layout: []int{0, 1, 0, 2}}
	got := p.look(4)
	if want := []float64{2, 5, 8}; !slices.Equal(got.Center, want) {
		t.Fatalf("look %+v, want %v", got, want)
	}
	if first := p.look(2); len(first.Center) != 2 || first.Center[0] != 1 {
		t.Errorf("the first two blocks: %+v", first)
	}
}

// TestSlicesBelowTheClock: when the overhead subtracted from a slice was more than was
// there, the change of the typical slices still has a percent, and exchanging
// the sides turns its sign and no more.
func TestSlicesBelowTheClock(t *testing.T) {
	old := series{{3, 3.1, 2.9, 3, 2.8}, {3, 3.2, 2.9}}
	new := series{{2, -1, 2.1, 9, 1.9}, {-50, 2, 2.2}}
	p, q := pair(old, new, []int{0, 1}), pair(new, old, []int{0, 1})
	if !p.relative || !q.relative {
		t.Fatal("differences are in units, want a ratio of the typical slices")
	}
	for i, want := range []float64{math.Log(2. / 3), math.Log(2. / 3)} {
		if math.Abs(p.typical[i]-want) > 1e-12 || q.typical[i] != -p.typical[i] {
			t.Errorf("block %d: %g, swapped %g, want %g", i, p.typical[i], q.typical[i], want)
		}
	}
	below := series{{-1, -1, 3, 3, -1}, {3, 3, 3}}
	if p := pair(old, below, []int{0, 1}); p.relative {
		t.Error("a typical slice below zero has a ratio")
	}
}
