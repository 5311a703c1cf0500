package result

import (
	"errors"
	"math"
	"slices"
)

// Schema 1 had a line per round, with a line for the block after its rounds,
// and said nothing of tries or of the plan. This is the only place that knows
// it, and the only one that infers: what comes out can be shown, and its
// [Study.Schema] stays 1, since a study cannot go on from a guess.

// oldRound is a round line.
type oldRound struct {
	Benchmark int        `json:"b"`
	Block     int        `json:"k"`
	Round     int        `json:"r"`
	At        float64    `json:"at"`
	Order     []int      `json:"order"`
	Slices    []oldSlice `json:"slices"`
	Warmup    bool       `json:"warmup"`
	Counting  bool       `json:"counting"`
}

// oldSlice has the tags of schema 1; its fields are those of [Slice].
type oldSlice struct {
	N          int64              `json:"n"`
	Raw        float64            `json:"raw"`
	Pauses     int64              `json:"pauses"`
	OverheadLo float64            `json:"ohlo"`
	OverheadHi float64            `json:"ohhi"`
	Counted    bool               `json:"counted"`
	Mallocs    uint64             `json:"mallocs"`
	Bytes      uint64             `json:"bytes"`
	GCs        uint32             `json:"gcs"`
	GCTime     float64            `json:"gc_time"`
	Collected  bool               `json:"-"` // not known then
	Settle     float64            `json:"-"`
	CPU        float64            `json:"-"`
	Waits      int64              `json:"waits"`
	Wait50     float64            `json:"wait50"`
	Wait99     float64            `json:"wait99"`
	User       float64            `json:"user"`
	System     float64            `json:"system"`
	Span       float64            `json:"-"`
	Metrics    map[string]float64 `json:"metrics"`
}

func (s oldSlice) slice() Slice {
	const most = 1 << 53
	s.N, s.Pauses, s.Waits = min(max(s.N, 0), most), min(max(s.Pauses, 0), most), min(max(s.Waits, 0), most)
	s.Mallocs, s.Bytes = min(s.Mallocs, most), min(s.Bytes, most)
	return Slice(s)
}

// converter collects the rounds of a file of schema 1.
type converter struct {
	blocks map[blockID][]oldRound
}

type blockID struct{ benchmark, block int }

func (c *converter) add(r *oldRound) {
	if c.blocks == nil {
		c.blocks = make(map[blockID][]oldRound)
	}
	id := blockID{r.Benchmark, r.Block}
	if r.Round == 0 {
		// A block whose rounds begin again, because its variants could not
		// run in lockstep: counting rounds may stand before its first round.
		for n := len(c.blocks[id]) - 1; n >= 0; n-- {
			if c.blocks[id][n].Round == 0 {
				c.blocks[id] = c.blocks[id][:n]
			}
		}
	}
	c.blocks[id] = append(c.blocks[id], *r)
}

// convert puts the rounds into the blocks that ended, and adds the plan that
// they suggest. Rounds of a block without a line were in flight.
func (c *converter) convert(lines []Line, numbers []int) ([]Line, []int, error) {
	if len(c.blocks) == 0 {
		return lines, numbers, nil
	}
	if slices.ContainsFunc(lines, func(l Line) bool { return l.Study != nil && l.Study.Schema > 1 }) {
		return nil, nil, errors.New("read result: round lines in a recording that is not of schema 1")
	}
	plans := make(map[int]*Plan)
	for _, l := range lines {
		b := l.Block
		if b == nil {
			continue
		}
		for _, r := range c.blocks[blockID{b.Benchmark, b.Block}] {
			round := r.round()
			if r.Counting {
				b.Counting = append(b.Counting, round)
			} else {
				b.Rounds = append(b.Rounds, round)
			}
		}
		plans[b.Benchmark] = planOf(b)
	}
	for i, l := range slices.Clone(lines) {
		if l.Block != nil && plans[l.Block.Benchmark] != nil {
			lines, numbers = append(lines, Line{Plan: plans[l.Block.Benchmark]}), append(numbers, numbers[i])
			plans[l.Block.Benchmark] = nil
		}
	}
	return lines, numbers, nil
}

func (r oldRound) round() Round {
	round := Round{At: r.At, Order: r.Order, Warmup: r.Warmup, Slices: make([]Slice, len(r.Slices))}
	for v, s := range r.Slices {
		round.Slices[v] = s.slice()
	}
	return round
}

// planOf guesses: slices have the fewest iterations of the block's, unless
// some are longer, and every other round of a plan is on record.
func planOf(b *Block) *Plan {
	p := &Plan{Benchmark: b.Benchmark, Iterations: math.MaxInt64}
	most := int64(0)
	for _, r := range b.Rounds {
		if !r.Warmup {
			p.Rounds++
		}
		for _, s := range r.Slices {
			if s.N > 0 {
				p.Iterations, most = min(p.Iterations, s.N), max(most, s.N)
			}
			p.Stops = p.Stops || s.Pauses > 1
		}
	}
	if most == 0 {
		return nil
	}
	if most > p.Iterations {
		p.Long = int(most / p.Iterations)
	}
	p.Paused = len(b.Counting) > 0
	return p
}
