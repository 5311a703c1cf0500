package judge

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// turned exchanges the sides of the blocks that pick chooses.
func turned(b result.Benchmark, pick func(block int) bool) result.Benchmark {
	b.Blocks = slices.Clone(b.Blocks)
	for i, k := range b.Blocks {
		if !pick(i) {
			continue
		}
		k.Unpack()
		k.FuncOrders, k.Processes = slices.Clone(k.FuncOrders), slices.Clone(k.Processes)
		slices.Reverse(k.FuncOrders)
		slices.Reverse(k.Processes)
		rounds := func(list []result.Round) (out []result.Round) {
			for _, r := range list {
				r.Slices = slices.Clone(r.Slices)
				slices.Reverse(r.Slices)
				out = append(out, r)
			}
			return out
		}
		k.Rounds, k.Counting = rounds(k.Rounds), rounds(k.Counting)
		b.Blocks[i] = k
	}
	return b
}

// swapStudies are benchmarks whose blocks use every rule: collections that are
// rare, uneven or in every slice, on both clocks; rare costs; overheads above the
// time; allocations and metrics.
func swapStudies() map[string]result.Benchmark {
	random := rand.New(rand.NewPCG(8, 8))
	all := map[string]result.Benchmark{
		"below the clock": simulated(12, 9, 0, 0.5, 0.2, 3, func(_, _, v int, s *result.Slice) { s.OverheadLo, s.OverheadHi = s.Raw, 1.001*s.Raw }).Benchmarks[0],
		"metrics and overrides": simulated(12, 9, 0.1, 0.01, 0, 4, func(i, r, v int, s *result.Slice) {
			s.Counted, s.Mallocs, s.Bytes, s.Metrics = true, uint64(i*r), 7, map[string]float64{"x": float64(r - v), "ns/op": 3}
		}).Benchmarks[0],
	}
	for name, p := range map[string]allocating{
		"rare collections":           {clean: 100, pause: 2e7, every: 600_000, uneven: 0.5},
		"rare collections, followed": {clean: 100, pause: 2e7, every: 600_000, uneven: 0.5, followed: true},
		"collections":                {clean: 100, pause: 2e5, every: 20_000, uneven: 0.5, followed: true},
		"a collection every slice":   {clean: 100, pause: 2e5, every: 500, uneven: 0.5},
	} {
		b := result.Benchmark{Key: result.Key{Name: name}}
		for i := range 12 {
			old, new := p, p
			old.done, new.done = random.Int64N(p.every), random.Int64N(p.every)
			k := result.Block{Block: i, Machine: i % 2, FuncOrders: []uint64{uint64(i + 1), uint64(i + 1)}, Processes: []result.Process{old.heap(), new.heap()}}
			for range 100 {
				k.Rounds = append(k.Rounds, result.Round{Order: []int{0, 1}, Slices: []result.Slice{old.slice(1000, 1, random), new.slice(1000, 1, random)}})
			}
			b.Blocks = append(b.Blocks, k)
		}
		all[name] = b
	}
	return all
}

// recorded are the benchmarks of a recording that tare compare -blocks 8 made of
// samples/greeting, and the same with function orders that blocks share.
func recorded(t *testing.T) map[string]result.Benchmark {
	f, err := os.Open("testdata/greeting.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rec, err := result.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	b := rec.Benchmarks[0]
	shared := b
	shared.FuncOrders, shared.Blocks = 4, slices.Clone(b.Blocks)
	for i := range shared.Blocks {
		shared.Blocks[i].FuncOrders = b.Blocks[i%4].FuncOrders
	}
	return map[string]result.Benchmark{"recorded": b, "recorded, shared orders": shared}
}

// TestBlockSwap: every number of a block is its own. If the sides of some blocks
// are exchanged, their differences change sign, and nothing else changes by a bit:
// in every unit, for what a look sees.
func TestBlockSwap(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for _, studies := range []map[string]result.Benchmark{swapStudies(), recorded(t)} {
		for name, b := range studies {
			pick := make([]bool, len(b.Blocks))
			for i := range pick {
				pick[i] = random.IntN(2) == 0
				if b.FuncOrders > 0 { // blocks of one order are turned together
					pick[i] = pick[i%b.FuncOrders]
				}
			}
			checkSwap(t, name, b, pick)
		}
	}
}

func checkSwap(t *testing.T, name string, b result.Benchmark, pick []bool) {
	study := result.Study{Plan: result.Plan{Alpha: 0.05, Delta: 0.02, MaxBlocks: 40}, Variants: make([]result.Variant, 2), Family: 1}
	back := turned(b, func(i int) bool { return pick[i] })
	units := 0
	for _, q := range unitsOf(goodBlocks(b.Blocks, 0, 1), 0, 1) {
		x, ok := evidenceOf(study, b, q.name, 0, 1)
		y, also := evidenceOf(study, back, q.name, 0, 1)
		if !ok && !also {
			continue
		}
		units++
		// Allocations are counted in some blocks alone: the first ones.
		n := len(x.typical)
		if ok != also || x.relative != y.relative || n != len(y.typical) || n != len(b.Blocks) && q.source == result.Slices {
			t.Fatalf("%s, %s: %v %v, %d and %d differences of %d blocks", name, q.name, ok, also, n, len(y.typical), len(b.Blocks))
		}
		same := func(what string, i int, a, c float64) {
			if pick[i] {
				c = -c
			}
			if math.Abs(a-c) != 0 {
				t.Errorf("%s, %s: the %s of block %d is %v, and %v with the sides of blocks exchanged (its own: %v)", name, q.name, what, i, a, c, pick[i])
			}
		}
		for i := range n {
			same("difference", i, x.typical[i], y.typical[i])
		}
		if !slices.Equal(x.pairing.layout, y.pairing.layout) || !slices.Equal(x.machine, y.machine) {
			t.Errorf("%s, %s: orders %v and %v, machines %v and %v", name, q.name, x.pairing.layout, y.pairing.layout, x.machine, y.machine)
		}
		a, c := x.look(n), y.look(n)
		if !slices.Equal(a.Strata, c.Strata) {
			t.Errorf("%s, %s: machines %v, exchanged %v", name, q.name, a.Strata, c.Strata)
		}
		for u, i := range x.pairing.layout {
			same("unit", u, a.Center[i], c.Center[i])
		}
	}
	if units == 0 {
		t.Errorf("%s: no unit", name)
	}
}
