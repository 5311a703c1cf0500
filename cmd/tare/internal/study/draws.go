package study

import (
	"hash/fnv"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// draws makes every random choice of a study in advance from its seed.
// Measurements and resumptions do not change the choices.
type draws struct {
	Seed     uint64
	Variants int
	// FuncOrderSeed, if not 0, is the seed of the function orders, which other studies use
	// too.
	FuncOrderSeed uint64
	// FuncOrders is the number of function orders per variant that blocks use
	// in turn, or 0 for a new one in every block.
	FuncOrders int
}

// BlockPlan is the plan of a block, decided before it begins.
type BlockPlan struct {
	// Start lists the variants in the order in which their workers start.
	// This fair random choice makes the test exact.
	Start []int
	// FuncOrders are the link seeds by variant. 0 is the default function order.
	FuncOrders []uint64
	// Shift is the number of bytes added to the environment of the workers. It
	// randomizes the start of their stacks, equally for all of them.
	Shift  int
	random *rand.Rand
}

// Stacks are aligned to stackGrain bytes. Beyond a page the shifts repeat.
const stackGrain, stackPage = 16, 4096

// Block plans block k of a benchmark.
func (p draws) Block(key result.Key, k int) BlockPlan {
	random := p.stream("block", key.Pkg, key.Name, strconv.Itoa(key.Procs), strconv.Itoa(k))
	return BlockPlan{
		Start:      random.Perm(p.Variants),
		FuncOrders: p.funcOrderSeeds(key.Pkg, k),
		Shift:      stackGrain * p.stream("shift", key.Pkg, key.Name, strconv.Itoa(key.Procs), strconv.Itoa(k)).IntN(stackPage/stackGrain),
		random:     random,
	}
}

// variantOrders draws the order of the variants in n rounds. It is random and
// balanced: every second round reverses the one before, so that no variant
// follows another more often.
func (b BlockPlan) variantOrders(n int) [][]int {
	orders := make([][]int, n)
	for i := range orders {
		if i%2 == 1 {
			orders[i] = turned(orders[i-1])
		} else {
			orders[i] = b.random.Perm(len(b.Start))
		}
	}
	return orders
}

// turned is an order of variants, the last one first.
func turned(order []int) []int {
	order = slices.Clone(order)
	slices.Reverse(order)
	return order
}

// scatter draws the iterations of a slice of n, up to a quarter more or fewer.
// With equal slices, the collector falls into step with the slices. Its
// distance then differs between the variants and stays the same in all blocks
// of a study (docs/decisions/collector.md).
func (b BlockPlan) scatter(n int64) int64 {
	quarter := n / 4
	return n - quarter + b.random.Int64N(2*quarter+1)
}

// funcOrderSeeds are the link seeds of block k by variant. All benchmarks of a
// package share them, since they share its binaries. The variants of a block
// also share the seed, so that the effect of a function order on their common
// code cancels (docs/decisions/block.md).
// If studies share their orders, each begins with its own half of the first
// ones, so that no order decides all of them (docs/decisions/linking.md).
func (p draws) funcOrderSeeds(pkg string, k int) []uint64 {
	if k = p.funcOrder(k); k == defaultOrder {
		return make([]uint64, p.Variants)
	}
	from := p
	if p.FuncOrderSeed != 0 {
		from.Seed = p.FuncOrderSeed
		if shared := 2 * judge.MinBlocks; k < shared { // twice as many as a clear difference needs
			k = p.stream("orders", pkg).Perm(shared)[k]
		}
	}
	random := from.stream("layout", pkg, strconv.Itoa(k))
	return slices.Repeat([]uint64{uint64(random.Int32N(1<<31-1)) + 1}, p.Variants)
}

const defaultOrder = -1

// funcOrder is the number of the block whose function orders block k uses. A single
// variant's level is measured in the default function order, as in the binary
// of go test. Every third block uses another order, to show the spread.
func (p draws) funcOrder(k int) int {
	if p.Variants == 1 {
		if k%3 != 0 {
			return defaultOrder
		}
		if p.FuncOrders > 0 {
			k = k / 3 % p.FuncOrders * 3
		}
		return k
	}
	if p.FuncOrders == 0 {
		return k
	}
	return k % p.FuncOrders
}

func (p draws) stream(words ...string) *rand.Rand {
	h := fnv.New64a()
	for _, w := range words {
		io.WriteString(h, w)
		h.Write([]byte{0})
	}
	return rand.New(rand.NewPCG(p.Seed, h.Sum64()))
}
