package study

import (
	"hash/fnv"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/tarebench/tare/internal/result"
)

// Plan draws every coin of a study ahead, from its seed: the same seed gives
// the same plan, whatever was measured and however often it was resumed.
type Plan struct {
	Seed     uint64
	Variants int
	// Layouts is the number of link layouts per side that blocks share in
	// turn; 0 is a fresh one for every block.
	Layouts int
}

// BlockPlan is what a block does, decided before it begins.
type BlockPlan struct {
	// Start lists the variants in the order their workers start: the fair
	// coin that makes the test exact.
	Start []int
	// Layouts are the link seeds by variant, never 0.
	Layouts []uint64
	coins   *rand.Rand
}

// Block plans block k of a benchmark.
func (p Plan) Block(key result.Key, k int) BlockPlan {
	coins := p.stream("block", key.Pkg, key.Name, strconv.Itoa(key.Procs), strconv.Itoa(k))
	return BlockPlan{
		Start:   coins.Perm(p.Variants),
		Layouts: p.LayoutSeeds(key.Pkg, k),
		coins:   coins,
	}
}

// Orders draws the order of the variants in n rounds: random, and balanced in
// that every second round turns the one before, so that no variant sits
// behind another more often.
func (b BlockPlan) Orders(n int) [][]int {
	orders := make([][]int, n)
	for i := range orders {
		if i%2 == 1 {
			before := orders[i-1]
			turned := make([]int, len(before))
			for j, v := range before {
				turned[len(before)-1-j] = v
			}
			orders[i] = turned
			continue
		}
		orders[i] = b.coins.Perm(len(b.Start))
	}
	return orders
}

// LayoutSeeds are the link seeds of block k, one per variant, the same for
// all benchmarks of a package: they share its binaries. The variants of a block
// share the seed too: what a layout does to code that the variants have in
// common then cancels (docs/decisions/layout-is-a-block.md).
func (p Plan) LayoutSeeds(pkg string, k int) []uint64 {
	if p.Layouts > 0 {
		k %= p.Layouts
	}
	coins := p.stream("layout", pkg, strconv.Itoa(k))
	return slices.Repeat([]uint64{uint64(coins.Int32N(1<<31-1)) + 1}, p.Variants)
}

func (p Plan) stream(words ...string) *rand.Rand {
	h := fnv.New64a()
	for _, w := range words {
		io.WriteString(h, w)
		h.Write([]byte{0})
	}
	return rand.New(rand.NewPCG(p.Seed, h.Sum64()))
}
