package result

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Packed are the rounds of a block as the file has them: about a fifteenth of
// the memory of their slices.
type Packed struct {
	Timed, Counting json.RawMessage
	// Rounds is how many they are, Variants how many variants they refer to.
	Rounds, Variants int
}

// Pack keeps the rounds of a block as text; the numbers are then those that the
// file has.
func (b *Block) Pack() error {
	if b.Packed == nil {
		p, err := pack(b)
		if err != nil {
			return err
		}
		b.Packed = p
	}
	b.Rounds, b.Counting = nil, nil
	return nil
}

// Unpack makes rounds of the text again; a block that is not packed stays as it
// is.
func (b *Block) Unpack() {
	b.Rounds, b.Counting = b.Timed(), b.Counted()
}

// Timed are the timed rounds, packed or not.
func (b Block) Timed() []Round {
	if b.Packed == nil || b.Rounds != nil {
		return b.Rounds
	}
	return b.Packed.mustUnpack(b.Packed.Timed)
}

// Counted are the counting rounds, packed or not.
func (b Block) Counted() []Round {
	if b.Packed == nil || b.Counting != nil {
		return b.Counting
	}
	return b.Packed.mustUnpack(b.Packed.Counting)
}

// RoundCount is how many rounds the block has, the counting ones included.
func (b Block) RoundCount() int {
	if b.Packed != nil {
		return b.Packed.Rounds
	}
	return len(b.Rounds) + len(b.Counting)
}

// Unpacked is the benchmark with the rounds of its blocks at hand.
func (b Benchmark) Unpacked() Benchmark {
	b.Blocks = slices.Clone(b.Blocks)
	for i := range b.Blocks {
		b.Blocks[i].Unpack()
	}
	return b
}

// pack writes the rounds of a block.
func pack(b *Block) (p *Packed, err error) {
	p = &Packed{Rounds: len(b.Rounds) + len(b.Counting), Variants: max(variantsIn(b.Rounds), variantsIn(b.Counting))}
	if p.Timed, err = packRounds(b.Rounds); err != nil {
		return nil, err
	}
	if p.Counting, err = packRounds(b.Counting); err != nil {
		return nil, err
	}
	return p, nil
}

func packRounds(rounds []Round) (json.RawMessage, error) {
	if len(rounds) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(columnsOf(rounds))
	if err != nil {
		return nil, fmt.Errorf("encode rounds: %w", err)
	}
	return text, nil
}

func unpackRounds(text json.RawMessage) ([]Round, error) {
	if len(text) == 0 {
		return nil, nil
	}
	var l *roundsLine
	if err := json.Unmarshal(text, &l); err != nil {
		return nil, err
	}
	return l.rounds()
}

// mustUnpack reads rounds that were written here, or were read before.
func (p *Packed) mustUnpack(text json.RawMessage) []Round {
	rounds, err := unpackRounds(text)
	if err != nil {
		panic(fmt.Errorf("unpack rounds: %w", err))
	}
	return rounds
}

// variantsIn is how many variants rounds refer to.
func variantsIn(rounds []Round) (n int) {
	for _, r := range rounds {
		n = max(n, len(r.Slices))
		for _, v := range r.Order {
			n = max(n, v+1)
		}
	}
	return n
}
