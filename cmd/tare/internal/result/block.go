package result

import "slices"

// Block is one generation of workers with all its rounds, written when it
// ends.
type Block struct {
	Benchmark int `json:"b"`
	// Machine is the index of the machine that measured it.
	Machine int `json:"m,omitempty"`
	// Block counts the blocks of a benchmark from 0. Try counts the attempts at a
	// block: the last one counts.
	Block int `json:"k"`
	Try   int `json:"try,omitempty"`
	// First is the variant that was started first: the block's random choice.
	First int `json:"first"`
	// FuncOrders are the link seeds by variant. 0 is the default function order.
	FuncOrders []uint64 `json:"layouts,omitempty"`
	// Rounds are the timed rounds, in the order they ran. Counting are rounds whose
	// times are not used, because every pause reads the allocations. Only Mallocs
	// and Bytes of Counted ones are used. In a packed block all are nil: see
	// [Block.Timed], [Block.Counted] and [Block.LongRuns].
	Rounds   []Round `json:"-"`
	Counting []Round `json:"-"`
	// Long are the long runs: each slice is one call of as many iterations as go
	// test would make, in a process on all CPUs. They show whether the timed
	// slices measure what go test does, and are no part of the estimate.
	Long []Round `json:"-"`
	// Columns are the rounds of a packed block.
	Columns
	// Processes describes the worker of each variant. It is nil if unknown.
	Processes []Process `json:"processes,omitempty"`
	// Seconds is the wall time of the block, SliceSeconds the part of it
	// spent inside slices.
	Seconds      float64 `json:"seconds"`
	SliceSeconds float64 `json:"slice_seconds"`
	// Disturbed is the disturbance of the block ("suspended"). It is empty for a
	// good one.
	Disturbed string `json:"disturbed,omitempty"`
	// Others is the share of the time of all CPUs that other programs used during
	// its long runs, 0 to 1. It is nil if unknown.
	Others *float64 `json:"others,omitempty"`
	// Failed is the failure of a variant in the middle of the block, which has the
	// earlier rounds. It is empty for a block that ran to its end.
	Failed string `json:"failed,omitempty"`
}

// Columns are the rounds of a block in columns.
type Columns struct {
	PackedRounds   *columns `json:"rounds,omitempty"`
	PackedCounting *columns `json:"counting,omitempty"`
	PackedLong     *columns `json:"long,omitempty"`
}

// Good reports whether the block ran to its end undisturbed.
func (b Block) Good() bool { return b.Disturbed == "" && b.Failed == "" }

// Pack moves the rounds of a block into columns, with the precision of the
// file.
func (b *Block) Pack() {
	if b.Columns == (Columns{}) {
		b.Columns = Columns{columnsOf(b.Rounds), columnsOf(b.Counting), columnsOf(b.Long)}
	}
	b.Rounds, b.Counting, b.Long = nil, nil, nil
}

// Unpack turns the columns into rounds again. It does not change a block that
// is not packed.
func (b *Block) Unpack() {
	b.Rounds, b.Counting, b.Long = b.Timed(), b.Counted(), b.LongRuns()
}

// Timed returns the timed rounds, packed or not.
func (b Block) Timed() []Round { return orPacked(b.Rounds, b.PackedRounds) }

// Counted returns the counting rounds, packed or not.
func (b Block) Counted() []Round { return orPacked(b.Counting, b.PackedCounting) }

// LongRuns returns the long runs, packed or not.
func (b Block) LongRuns() []Round { return orPacked(b.Long, b.PackedLong) }

func orPacked(rounds []Round, packed *columns) []Round {
	if rounds != nil {
		return rounds
	}
	return packed.rounds()
}

// RoundCount returns the number of rounds of the block, including counting
// rounds.
func (b Block) RoundCount() int {
	if b.Columns != (Columns{}) {
		return b.PackedRounds.len() + b.PackedCounting.len()
	}
	return len(b.Rounds) + len(b.Counting)
}

// Unpacked returns the benchmark with unpacked rounds in its blocks.
func (b Benchmark) Unpacked() Benchmark {
	b.Blocks = slices.Clone(b.Blocks)
	for i := range b.Blocks {
		b.Blocks[i].Unpack()
	}
	return b
}
