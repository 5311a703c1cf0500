package study

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

func TestPlanIsTheSeed(t *testing.T) {
	key := result.Key{Pkg: "p", Name: "X", Procs: 2}
	p := draws{Seed: 7, Variants: 2}
	for k := range 40 {
		a, b := p.Block(key, k), p.Block(key, k)
		if !reflect.DeepEqual(a.variantOrders(26), b.variantOrders(26)) || !slices.Equal(a.Start, b.Start) || !slices.Equal(a.FuncOrders, b.FuncOrders) {
			t.Fatalf("block %d is not the same twice", k)
		}
	}
	q := draws{Seed: 8, Variants: 2}
	same := 0
	for k := range 200 {
		if slices.Equal(p.Block(key, k).Start, q.Block(key, k).Start) {
			same++
		}
	}
	// 200 random signs: outside 100 ± 45 once in 10^10.
	if same < 55 || same > 145 {
		t.Errorf("two seeds agree in %d of 200 coins", same)
	}
}

// TestRandomChoices counts: the random choice of a block must be fair, and differ between
// benchmarks. The bounds are 6 standard deviations.
func TestRandomChoices(t *testing.T) {
	const blocks = 10_000
	p := draws{Seed: 3, Variants: 2}
	first, agree := 0, 0
	for k := range blocks {
		a := p.Block(result.Key{Pkg: "p", Name: "A", Procs: 2}, k)
		b := p.Block(result.Key{Pkg: "p", Name: "B", Procs: 2}, k)
		first += a.Start[0]
		if a.Start[0] == b.Start[0] {
			agree++
		}
		if !slices.Equal(a.FuncOrders, b.FuncOrders) {
			t.Fatal("benchmarks of one package do not share layouts")
		}
	}
	for name, n := range map[string]int{"second variant first": first, "two benchmarks agree": agree} {
		if math.Abs(float64(n)-blocks/2) > 6*math.Sqrt(blocks)/2 {
			t.Errorf("%s in %d of %d blocks", name, n, blocks)
		}
	}
}

// TestLayoutsAreFresh: every block has a layout of its own, and its variants
// share it.
func TestLayoutsAreFresh(t *testing.T) {
	p := draws{Seed: 5, Variants: 2}
	seen := make(map[uint64]int)
	for k := range 80 {
		seeds := p.funcOrderSeeds("p", k)
		if len(seeds) != 2 || seeds[0] != seeds[1] || seeds[0] == 0 || seeds[0] > math.MaxInt32 {
			t.Fatalf("block %d has seeds %v", k, seeds)
		}
		if was, ok := seen[seeds[0]]; ok {
			t.Fatalf("block %d has the layout of block %d", k, was)
		}
		seen[seeds[0]] = k
	}
	p.FuncOrders = 8
	if !slices.Equal(p.funcOrderSeeds("p", 3), p.funcOrderSeeds("p", 11)) {
		t.Error("8 layout sets do not come round after 8 blocks")
	}
}

// TestOrdersAreBalanced: over each pair of rounds every variant stands at
// mirrored places, so none sits after another more often.
func TestOrdersAreBalanced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := draws{Seed: rapid.Uint64().Draw(t, "seed"), Variants: rapid.IntRange(1, 5).Draw(t, "variants")}
		n := rapid.IntRange(0, 40).Draw(t, "rounds")
		orders := p.Block(result.Key{Name: rapid.String().Draw(t, "name")}, rapid.IntRange(0, 100).Draw(t, "block")).variantOrders(n)
		if len(orders) != n {
			t.Fatalf("%d orders, want %d", len(orders), n)
		}
		for i, o := range orders {
			sorted := slices.Sorted(slices.Values(o))
			for v := range p.Variants {
				if sorted[v] != v {
					t.Fatalf("round %d is no permutation: %v", i, o)
				}
			}
			if i%2 == 1 {
				turned := slices.Clone(orders[i-1])
				slices.Reverse(turned)
				if !slices.Equal(o, turned) {
					t.Fatalf("rounds %d and %d do not mirror: %v %v", i-1, i, orders[i-1], o)
				}
			}
		}
	})
}

// TestScatter: slices of an allocating benchmark differ in length from round to
// round, by a quarter at most and not on average, and a short one keeps its
// only length.
func TestScatter(t *testing.T) {
	block := draws{Seed: 1, Variants: 2}.Block(result.Key{Name: "A"}, 3)
	seen, sum := make(map[int64]int), int64(0)
	const draws = 9000
	for range draws {
		n := block.scatter(16)
		seen[n]++
		sum += n
	}
	if len(seen) != 9 || seen[12] == 0 || seen[20] == 0 {
		t.Errorf("slices of 16 iterations become %v, want all from 12 to 20", seen)
	}
	if mean := float64(sum) / draws; mean < 15.9 || mean > 16.1 {
		t.Errorf("slices of 16 iterations become %.2f on average", mean)
	}
	for _, n := range []int64{1, 2, 3} {
		if got := block.scatter(n); got != n {
			t.Errorf("a slice of %d becomes one of %d", n, got)
		}
	}
}

// TestTurnsScatterWhereTheCollectorRuns: benchmarks that do not collect keep
// their iterations.
func TestTurnsScatterWhereTheCollectorRuns(t *testing.T) {
	b := &bench{pilot: result.Pilot{Iterations: 100, Rounds: 64}}
	orders := func() [][]int { return draws{Seed: 1, Variants: 2}.Block(result.Key{Name: "A"}, 1).variantOrders(65) }
	half := func(n int64) int64 { return n / 2 }
	for _, collected := range []bool{false, true} {
		b.Blocks = []result.Block{{Rounds: []result.Round{{Slices: []result.Slice{{N: 100}, {N: 100, Collected: collected}}}}}}
		for i, turn := range b.plannedRounds(orders(), half) {
			want := int64(100)
			if collected {
				want = 50
			}
			if turn.n != want {
				t.Errorf("collected %v, round %d has %d iterations, want %d", collected, i, turn.n, want)
			}
		}
	}
}

// TestOneRoundWarmsUpWhereTheCollectorRuns: a block of one round has a shorter
// one before it where the heap of a new process has to be filled.
func TestOneRoundWarmsUpWhereTheCollectorRuns(t *testing.T) {
	for _, collected := range []bool{false, true} {
		b := &bench{pilot: result.Pilot{Iterations: 100, Rounds: 1}}
		b.Blocks = []result.Block{{Rounds: []result.Round{{Slices: []result.Slice{{N: 100}, {N: 100, Collected: collected}}}}}}
		var got []int64
		for _, turn := range b.plannedRounds([][]int{{0, 1}, {1, 0}}, func(n int64) int64 { return n }) {
			got = append(got, turn.n)
		}
		want := []int64{100}
		if collected {
			want = []int64{25, 100}
		}
		if !slices.Equal(got, want) {
			t.Errorf("collected %v: rounds of %v iterations, want %v", collected, got, want)
		}
	}
}

// TestPlannedLook: a short operation is planned by its iteration; what its first
// one takes with the start of the benchmark around it comes once a block.
func TestPlannedLook(t *testing.T) {
	r := &runner{size: sizing{slice: lockstepSlice, block: 200 * time.Millisecond, rounds: lockstepMost}}
	r.o.Study.Variants = make([]result.Variant, 2)
	for _, test := range []struct {
		name            string
		took, iteration time.Duration
		want            time.Duration // of a block
	}{
		{"short", time.Millisecond, 100, 2*(time.Millisecond+15*time.Millisecond) + startTime},
		{"a millisecond", 2 * time.Millisecond, time.Millisecond, 2*(2*time.Millisecond+150*time.Millisecond) + startTime},
		{"set-up of a second", time.Second, 100, 2*2*time.Second + startTime},
	} {
		b := &bench{took: test.took, iteration: test.iteration}
		if got := r.plannedLook(b, 8) - pilotTime - r.countingTime(b, 1); got != 8*test.want {
			t.Errorf("%s: 8 blocks are planned for %v, want %v", test.name, got, 8*test.want)
		}
	}
}

// TestOneVariantHasTheDefaultOrder: two of three blocks of one variant have the
// default function order, with or without shared sets.
func TestOneVariantHasTheDefaultOrder(t *testing.T) {
	for _, layouts := range []int{0, 2} {
		p := draws{Seed: 5, Variants: 1, FuncOrders: layouts}
		seen := make(map[uint64]bool)
		for k := range 12 {
			seeds := p.funcOrderSeeds("p", k)
			if len(seeds) != 1 || (seeds[0] == 0) != (k%3 != 0) {
				t.Errorf("block %d has seeds %v", k, seeds)
			}
			if again := p.funcOrderSeeds("p", p.funcOrder(k)); !slices.Equal(seeds, again) {
				t.Errorf("the set of block %d has seeds %v, the block %v", k, again, seeds)
			}
			seen[seeds[0]] = true
		}
		if want := 1 + max(layouts, 4*(1-min(layouts, 1))); len(seen) != want {
			t.Errorf("%d function orders with %d sets, want %d", len(seen), layouts, want)
		}
	}
}

// Studies with the same orders begin with different halves of the first ones.
func TestStudiesShareFunctionOrders(t *testing.T) {
	t.Parallel()
	const sharedOrders = 2 * judge.MinBlocks
	first := make(map[uint64]int)
	sequences, all := make(map[string]bool), make(map[uint64]bool)
	const studies = 100
	for seed := range uint64(studies) {
		p := draws{Seed: seed, FuncOrderSeed: 9, Variants: 2}
		text := ""
		for k := range sharedOrders + 4 {
			seeds := p.funcOrderSeeds("p", k)
			if seeds[0] != seeds[1] {
				t.Fatalf("block %d has the seeds %d", k, seeds)
			}
			if all[seeds[0]] = true; k < sharedOrders/2 {
				first[seeds[0]]++
				text += fmt.Sprint(seeds[0], " ")
			}
		}
		sequences[text] = true
	}
	if len(first) != sharedOrders || len(sequences) != studies || len(all) != sharedOrders+4 {
		t.Errorf("%d first orders in %d sequences, %d in all; want %d, %d, %d", len(first), len(sequences), len(all), sharedOrders, studies, sharedOrders+4)
	}
	for seed, n := range first {
		if n < studies/4 || n > studies*3/4 {
			t.Errorf("order %d is in %d of %d studies, want about half", seed, n, studies)
		}
	}
}

// Before the first look, the blocks so far show how slow this machine is.
func TestForecastFollowsTheFirstBlocks(t *testing.T) {
	t.Parallel()
	o := Options{Study: result.Study{Plan: result.Plan{MaxBlocks: 40, BudgetSeconds: 3600}, Variants: make([]result.Variant, 2)}}
	r := newRunner(o, nil)
	r.design = judge.NewDesign(40, 0.05, 3)
	r.benches = []*bench{{}, {}, {}}
	planned := r.forecast()
	r.benches[0].Blocks, r.benches[0].wall = make([]result.Block, 1), 20*time.Second
	want := time.Duration(3*r.design.FirstCalled()-1) * 20 * time.Second
	if got := r.forecast(); got != want || planned > want/10 {
		t.Errorf("planned %v; after a block of 20 s %v, want %v", planned, got, want)
	}
}
